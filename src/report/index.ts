export { COUNTERS_TARGET, CountersReporter, type CountersReporterOptions } from './counters.js';
export { JsonReporter, type JsonReporterOptions } from './json.js';
export { OsuTextReporter } from './osu-text.js';
export { osuTable, type OsuTablePlan, type OsuTableRow } from './osu-tables.js';
export { checkWritable, RecordError, recordTarget, type RecordTarget } from './record-target.js';
export { FdSink, MemorySink, SinkError, sleep, writeFully } from './sink.js';
export type * from './types.js';
