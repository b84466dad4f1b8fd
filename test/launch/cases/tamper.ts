/**
 * Runs a program of a suite as its launcher does, with something done to one rank in rows of one size:
 *
 *     tamper.js NAME '{"what":"corrupt","rank":1,"size":8,"place":"last"}' [options of NAME]
 */
import { launch } from '../../../src/bench/main.js';
import { testOperations } from '../../native/test-addon.js';
import { hooksFor, type Tampering } from './tampering.js';

const [name = '', given = '{}', ...argv] = process.argv.slice(2);
testOperations(); // before MPI, as the addon of a user's own operations
launch(name, argv, hooksFor(JSON.parse(given) as Tampering));
