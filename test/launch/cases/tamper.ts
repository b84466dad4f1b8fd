/**
 * Runs a program of a suite as its launcher does, with something done to one rank in rows of one size:
 *
 *     tamper.js NAME '{"what":"corrupt","rank":1,"size":8,"place":"last"}' [options of NAME]
 */
import { launch } from '../../../src/bench/main.js';
import { tamperingHooks, type Tampering } from './tampering.js';

const [name = '', given = '{}', ...argv] = process.argv.slice(2);
launch(name, argv, tamperingHooks(JSON.parse(given) as Tampering));
