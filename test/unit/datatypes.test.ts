import { expect } from 'chai';
import fc from 'fast-check';
import {
  allOf,
  ATOMIC_TYPES,
  DATA_TYPES,
  parseDatatypes,
  REDUCTION_TYPES,
  shortName,
} from '../../src/cli/datatypes.js';

const found = (text: string, known = DATA_TYPES) => {
  const result = parseDatatypes(text, known);
  return result.ok ? result.value : result.reason;
};

describe('datatypes of -T', () => {
  it('are those that MPI allows for the operation', () => {
    expect(DATA_TYPES[0]).to.equal('MPI_CHAR');
    expect(REDUCTION_TYPES[0]).to.equal('MPI_INT');
    expect(DATA_TYPES.filter((name) => !REDUCTION_TYPES.includes(name))).to.deep.equal(['MPI_CHAR', 'MPI_BYTE']);
    expect(new Set(DATA_TYPES)).to.have.lengthOf(DATA_TYPES.length);
    for (const name of ['CHAR', 'INT', 'LONG', 'FLOAT', 'DOUBLE', 'C_DOUBLE_COMPLEX', 'INT8_T', 'UINT64_T', 'BYTE']) {
      expect(DATA_TYPES).to.contain(`MPI_${name}`);
    }
    for (const name of ['SHORT', 'LONG', 'LONG_LONG']) {
      expect(REDUCTION_TYPES).to.include.members([`MPI_${name}`, `MPI_UNSIGNED_${name}`]);
    }
    expect(REDUCTION_TYPES).to.include.members(['MPI_UNSIGNED', 'MPI_AINT', 'MPI_OFFSET', 'MPI_COUNT']);
  });

  it('are integers and bytes for a compare and swap', () => {
    expect(ATOMIC_TYPES[0]).to.equal('MPI_INT');
    const others = ['MPI_CHAR', 'MPI_FLOAT', 'MPI_DOUBLE', 'MPI_C_FLOAT_COMPLEX', 'MPI_C_DOUBLE_COMPLEX'];
    expect(DATA_TYPES.filter((name) => !ATOMIC_TYPES.includes(name))).to.have.members(others);
    expect(ATOMIC_TYPES.filter((name) => !DATA_TYPES.includes(name))).to.deep.equal([]);
    expect(ATOMIC_TYPES).to.contain('MPI_BYTE');
  });

  it('are found by their names in any case, with and without MPI_', () => {
    const letters = fc.array(fc.boolean(), { minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(fc.constantFrom(...DATA_TYPES), fc.boolean(), letters, (name, whole, upper) => {
        const text = [...(whole ? name : shortName(name))]
          .map((letter, index) => (upper[index] ? letter.toUpperCase() : letter.toLowerCase()))
          .join('');
        expect(found(text)).to.deep.equal([name]);
      }),
    );
  });

  it('are found by what only one of them begins with', () => {
    expect(found('doub')).to.deep.equal(['MPI_DOUBLE']);
    expect(found('mpi_fl,by')).to.deep.equal(['MPI_FLOAT', 'MPI_BYTE']);
    expect(found('int')).to.deep.equal(['MPI_INT']);
    expect(found('long')).to.deep.equal(['MPI_LONG']);
    expect(found('long_l')).to.deep.equal(['MPI_LONG_LONG']);
    for (const text of ['uint', 'int3,int1,in', 'c_', 'mpi_']) expect(found(text), text).to.match(/^Invalid Type: /);
  });

  it('never come from a text that no name begins with', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const wanted = text.trim().toLowerCase().replace(/^mpi_/, '');
        const begun = DATA_TYPES.filter((name) => shortName(name).startsWith(wanted));
        fc.pre(!text.includes(',') && wanted !== 'all' && (wanted === '' || begun.length === 0));
        expect(found(text)).to.match(/^Invalid Type: give all, char, int, .*, byte, with or without mpi_ before$/);
      }),
    );
  });

  it('are char, int and float for all, as far as the benchmark has them', () => {
    expect(found('ALL')).to.deep.equal(['MPI_CHAR', 'MPI_INT', 'MPI_FLOAT']);
    expect(found('mpi_all', REDUCTION_TYPES)).to.deep.equal(['MPI_INT', 'MPI_FLOAT']);
    expect(found('all,double', REDUCTION_TYPES)).to.deep.equal(['MPI_INT', 'MPI_FLOAT', 'MPI_DOUBLE']);
    expect(allOf(['MPI_BYTE', 'MPI_LONG'])).to.deep.equal(['MPI_BYTE', 'MPI_LONG']);
    expect(found('char', REDUCTION_TYPES)).to.match(/^Invalid Type: give all, int, int8_t, /);
  });
});
