/**
 * Mocha's spec reporter, which also writes the true counts, and what failed in a line each, as JSON to the file
 * of `--reporter-option counts=FILE`.
 */
import { writeFileSync } from 'node:fs';
import { config } from 'chai';
import mocha from 'mocha';

// CI's output is all that one has of a failure there: whole values.
config.truncateThreshold = 0;

export default class CountingReporter extends mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = options.reporterOption?.counts;
    const failed = [];
    runner.on(mocha.Runner.constants.EVENT_TEST_RETRY, (test, error) => {
      process.stdout.write(`    failed at its first attempt: ${test.fullTitle()}: ${error.message}\n`);
    });
    runner.on(mocha.Runner.constants.EVENT_TEST_FAIL, (test, error) => {
      failed.push(`${test.fullTitle()}: ${String(error.message).slice(0, 1000)}`);
    });
    runner.once(mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      if (file) writeFileSync(file, JSON.stringify({ passes, failures, pending, failed }));
    });
  }
}
