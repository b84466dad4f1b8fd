import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { validateRecord } from '../../src/results/validate.js';
import { builtAddons } from '../../src/engine/load.js';
import { projectRoot } from '../unit/project.js';
import { useFolder } from './folder.js';
import { describeUnder, mpirun, type LaunchOptions } from './mpirun.js';
