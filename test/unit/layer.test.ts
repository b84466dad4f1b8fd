/** What `--layer` takes, and what a layer is called. */
import { expect } from 'chai';
import { layerName, parseLayer } from '../../src/cli/layer.js';

describe('--layer', () => {
  const known = {
    mpi: { kind: 'mpi' },
    shm: { kind: 'shm' },
    ucp: { kind: 'ucp', by: 'tag' },
    'ucp:am': { kind: 'ucp', by: 'am' },
    'uct:rc_verbs/rxe0:1': { kind: 'uct', transport: 'rc_verbs', device: 'rxe0:1' },
    verbs: { kind: 'verbs', by: 'send' },
    'verbs/rxe0': { kind: 'verbs', by: 'send', device: 'rxe0' },
    'verbs:write': { kind: 'verbs', by: 'write' },
    'verbs:read/mlx5_0': { kind: 'verbs', by: 'read', device: 'mlx5_0' },
  };
  for (const [text, request] of Object.entries(known)) {
    it(`takes ${text}, and calls it so`, () => {
      const parsed = parseLayer(text);
      expect(parsed).to.deep.equal({ ok: true, value: request });
      if (parsed.ok) expect(layerName(parsed.value)).to.equal(text);
    });
  }

  it('calls sends over verbs by the short name', () => {
    const parsed = parseLayer('verbs:send/rxe0');
    expect(parsed.ok && layerName(parsed.value)).to.equal('verbs/rxe0');
  });

  for (const text of [
    '',
    'verbs:',
    'verbs/',
    'verbs:put',
    'verbs:send:write',
    'Verbs',
    'verbs0',
    'uct:x',
    'toString',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseLayer(text)).to.have.property('ok', false);
    });
  }
});
