/** The text of a batch script. What all scripts share is scripts/slurm/common.sh, which they source. Pure. */
import { quoted } from '../launch/shell.js';
import type { Kind, Setting } from './kinds.js';

export interface Script {
  readonly kind: Kind;
  readonly benchmarks: readonly string[];
  readonly jobName: string;
  readonly nodes: number;
  readonly ranksPerNode: number;
  readonly time: string;
  /** Further lines of `#SBATCH`, as `--partition=fast`. */
  readonly directives: readonly string[];
  /** Values in place of the settings' own. */
  readonly values: Readonly<Record<string, string>>;
  /** Whose folder has dist/ and scripts/; undefined = the one in which sbatch is called. */
  readonly home: string | undefined;
  /** What was typed after `fabricbench slurm`, for the first comment. */
  readonly words: readonly string[];
}

/** Seconds before the time limit at which the script ends its ranks by itself. */
const BEFORE_THE_END = 60;

/** Settings of every script. */
const COMMON: readonly Setting[] = [
  { name: 'FABRICBENCH_MODULES', value: '', comment: 'what `module load` takes' },
  { name: 'FABRICBENCH_MPI', value: 'openmpi', comment: 'or mpich' },
  { name: 'FABRICBENCH_LAUNCHER', value: 'srun', comment: 'or mpirun' },
  { name: 'FABRICBENCH_CPU_BIND', value: 'cores', comment: "srun's --cpu-bind; none leaves ranks unbound" },
  { name: 'FABRICBENCH_SIZES', value: '', comment: '1:4M: sizes in bytes; empty = those of each benchmark' },
  { name: 'FABRICBENCH_ITERATIONS', value: '', comment: 'of each size; empty = those of each benchmark' },
];

export function scriptText(script: Script): string {
  const { kind, benchmarks } = script;
  const lines = [
    '#!/bin/bash',
    `# ${kind.title}.`,
    `# Written by \`fabricbench slurm ${script.words.map(quoted).join(' ')}\`; docs/slurm.md explains it.`,
    ...directivesOf(script).map((directive) => `#SBATCH ${directive}`),
    '',
    '# What is set in the environment of sbatch comes first.',
    `: "\${FABRICBENCH_HOME:=${homeText(script)}}"`,
    ...settingLines([...kind.settings, ...COMMON], script.values),
    '',
    ...SOURCING,
    '',
    ...kind.body(benchmarks.join(' ')),
    'finish',
  ];
  return `${lines.join('\n')}\n`;
}

/** What is special to the shell between double quotes is made plain. */
const homeText = ({ home }: Script): string =>
  home === undefined ? '${SLURM_SUBMIT_DIR:-$PWD}' : home.replaceAll(/[\\"$`}]/g, '\\$&');

function directivesOf({ jobName, nodes, ranksPerNode, time, directives }: Script): string[] {
  return [
    `--job-name=${jobName}`,
    `--nodes=${nodes}`,
    `--ntasks-per-node=${ranksPerNode}`,
    '--exclusive',
    `--time=${time}`,
    '--output=%x-%j.out',
    // After it was requeued a job runs on in the same file.
    '--open-mode=append',
    '--requeue',
    `--signal=B:TERM@${BEFORE_THE_END}`,
    ...directives,
  ];
}

const SOURCING = [
  'if [[ ! -r $FABRICBENCH_HOME/scripts/slurm/common.sh ]]; then',
  '  echo "fabricbench: $FABRICBENCH_HOME has no scripts/slurm/common.sh: call sbatch in the folder of fabricbench, or set FABRICBENCH_HOME to it" >&2',
  '  exit 2',
  'fi',
  '. "$FABRICBENCH_HOME/scripts/slurm/common.sh"',
];

function settingLines(settings: readonly Setting[], values: Readonly<Record<string, string>>): string[] {
  const texts = settings.map(({ name, value }) => `: "\${${name}:=${values[name] ?? value}}"`);
  const width = Math.max(...texts.map((text) => text.length));
  return texts.map((text, index) => `${text.padEnd(width)} # ${settings[index]?.comment}`);
}
