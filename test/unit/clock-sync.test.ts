import { expect } from 'chai';
import fc from 'fast-check';
import { FEWEST_PING_PONGS, fitClock, toReference, type PingPongs } from '../../src/bench/measure/clock-sync.js';
import { seeded } from './random.js';

interface Simulation {
  /** What the other clock shows more at second 0 of the reference. */
  readonly offset: number;
  /** Seconds that it gains per second of the reference. */
  readonly drift: number;
  readonly count?: number;
  /** Seconds between two ping-pongs. */
  readonly period?: number;
  /** One-way times there and back. */
  readonly there: (index: number) => number;
  readonly back: (index: number) => number;
}

/** What the other clock shows at a time of the reference. */
const shown = ({ offset, drift }: Simulation, time: number): number => time + offset + drift * time;

function pingPongs(simulation: Simulation): PingPongs {
  const { count = 400, period = 1e-3, there, back } = simulation;
  const sent = Float64Array.from({ length: count }, (_, index) => 20 + index * period);
  const arrived = sent.map((time, index) => time + there(index));
  return {
    sent,
    remote: arrived.map((time) => shown(simulation, time)),
    received: arrived.map((time, index) => time + back(index)),
  };
}

/** Largest error of converted times around and after the observations. */
function largestError(simulation: Simulation, until = 20.4): number {
  const model = fitClock(pingPongs(simulation));
  const times = Array.from({ length: 101 }, (_, i) => 20 + ((until - 20) * i) / 100);
  return Math.max(...times.map((time) => Math.abs(toReference(model, shown(simulation, time)) - time)));
}

const even = { there: () => 2e-6, back: () => 2e-6 };

describe('clock synchronisation', () => {
  it('finds offset and drift exactly where both ways take the same time', () => {
    const drifts = fc.double({ min: -1e-4, max: 1e-4, noNaN: true });
    const property = fc.property(fc.double({ min: -1000, max: 1000, noNaN: true }), drifts, (offset, drift) => {
      const simulation = { offset, drift, ...even };
      const model = fitClock(pingPongs(simulation));
      // Of its own seconds, where the simulation's drift is per second of the reference.
      expect(model.drift).to.be.closeTo(drift / (1 + drift), 1e-10);
      expect(model.bound).to.be.closeTo(2e-6, 1e-12);
      expect(model.residual).to.be.lessThan(1e-11);
      expect(largestError(simulation)).to.be.lessThan(1e-10);
    });
    fc.assert(property);
  });

  it('holds beyond the observations', () => {
    expect(largestError({ offset: 3, drift: 2e-5, ...even }, 60)).to.be.lessThan(1e-8);
  });

  it('averages noise out', () => {
    const random = seeded(1);
    const noisy = () => 2e-6 - 0.3e-6 * Math.log(1 - random());
    const simulation = { offset: -7, drift: 1e-5, count: 2000, there: noisy, back: noisy };
    expect(largestError(simulation, 22)).to.be.lessThan(0.1e-6);
  });

  it('is not misled by slow messages, however many on one way', () => {
    const random = seeded(2);
    const small = () => 2e-6 + random() * 0.1e-6;
    for (const share of [0.1, 0.5, 0.7]) {
      const there = () => (random() < share ? 50e-6 + random() * 1e-3 : small());
      const simulation = { offset: 1, drift: -3e-5, count: 1000, there, back: small };
      expect(largestError(simulation, 21)).to.be.lessThan(0.1e-6);
    }
  });

  it('is not misled by a time in which all messages are slow', () => {
    const there = (index: number) => (index >= 100 && index < 300 ? 500e-6 : 2e-6);
    const simulation = { offset: 1, drift: 4e-5, there, back: () => 2e-6 };
    expect(fitClock(pingPongs(simulation)).kept).to.equal(200);
    expect(largestError(simulation)).to.be.lessThan(1e-10);
  });

  it('is off by half of the difference where one way is always slower, and within its bound', () => {
    const simulation = { offset: 1, drift: 1e-5, there: () => 5e-6, back: () => 1e-6 };
    const { bound, residual } = fitClock(pingPongs(simulation));
    const error = largestError(simulation);
    expect(error).to.be.closeTo(2e-6, 1e-9);
    expect(bound).to.be.closeTo(3e-6, 1e-12).and.greaterThan(error);
    expect(residual).to.be.lessThan(1e-11);
  });

  it('says how much the offsets scatter', () => {
    const random = seeded(3);
    // Round trips of the same length, so that a quarter of them is as good as any.
    const shares = Array.from({ length: 4000 }, random);
    const share = (index: number): number => shares[index] ?? 0;
    const simulation = {
      offset: 1,
      drift: 0,
      count: 4000,
      there: (index: number) => 1e-6 + 2e-6 * share(index),
      back: (index: number) => 3e-6 - 2e-6 * share(index),
    };
    // Offsets are spread evenly over 2 us.
    expect(fitClock(pingPongs(simulation)).residual).to.be.closeTo(2e-6 / Math.sqrt(12), 0.05e-6);
  });

  it('needs enough ping-pongs, at different times', () => {
    const simulation = { offset: 0, drift: 0, ...even };
    const few = pingPongs({ ...simulation, count: FEWEST_PING_PONGS - 1 });
    expect(() => fitClock(few)).to.throw(RangeError, '15 ping-pongs say too little about a clock: observe at least 16');
    expect(fitClock(pingPongs({ ...simulation, count: FEWEST_PING_PONGS })).kept).to.be.at.least(4);
    expect(() => fitClock(pingPongs({ ...simulation, period: 0 }))).to.throw(RangeError, 'of the same moment');
  });

  it('refuses times that can not be', () => {
    const good = pingPongs({ offset: 0, drift: 0, ...even });
    const short = { ...good, sent: [1, 2, 3] };
    expect(() => fitClock(short)).to.throw(RangeError, 'there are 3, 400 and 400 times for the same ping-pongs');
    for (const [name, value] of [
      ['remote', NaN],
      ['received', 1],
      ['sent', Infinity],
    ] as const) {
      const times = Float64Array.from(good[name]);
      times[7] = value;
      expect(() => fitClock({ ...good, [name]: times })).to.throw(RangeError, "a ping-pong can't have been sent at");
    }
  });
});
