import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeSourceMap, readOutline, SourceText } from '../../../src/inspect/solidity/sources.ts'
import { runs } from '../../full.ts'

describe('decodeSourceMap', () => {
  it('repeats the fields that an entry leaves out', () => {
    expect(decodeSourceMap('1:2:0:i;;:3;5::1:o;', 10)).toEqual([
      { start: 1, length: 2, source: 0, jump: 'in' },
      { start: 1, length: 2, source: 0, jump: 'in' },
      { start: 1, length: 3, source: 0, jump: 'in' },
      { start: 5, length: 3, source: 1, jump: 'out' },
      { start: 5, length: 3, source: 1, jump: 'out' },
    ])
  })

  it('ends at a malformed entry and at the number of instructions, for any text', () => {
    expect(decodeSourceMap('1:2:0:-;x;3:4:0', 10)).toHaveLength(1)
    expect(decodeSourceMap(';'.repeat(1000), 3)).toHaveLength(3)
    const text = fc.array(fc.constantFrom('1', '20', ':', ';', '-', 'i', 'x')).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.nat(20), (map, most) => {
        expect(decodeSourceMap(map, most).length).toBeLessThanOrEqual(most)
      }),
      runs(50, 1000),
    )
  })
})

describe('SourceText', () => {
  it('counts lines and columns from 1, of bytes in UTF-8', () => {
    const text = new SourceText('aé\r\n🦄b\nc')
    const at = [0, 1, 3, 5, 9, 11, 12].map((offset) => text.positionOf(offset))
    expect(at.map((position) => position && `${position.line}:${position.column}`)).toEqual([
      '1:1',
      '1:2',
      '1:3',
      '2:1',
      '2:3',
      '3:1',
      '3:2',
    ])
    expect([text.positionOf(-1), text.positionOf(13)]).toEqual([undefined, undefined])
  })

  it('knows the ends of lines of every system', () => {
    const text = new SourceText('a\nb\rc\r\nd\n\re')
    const lines = Array.from({ length: 11 }, (_, offset) => text.positionOf(offset)?.line)
    expect(lines).toEqual([1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6])
  })
})

describe('readOutline', () => {
  it('finds functions, modifiers and variables, and not what is in comments and strings', () => {
    const { definitions, contracts } = readOutline(`// contract A { function a() {} }
function free() pure {}
abstract contract B is C, D(5) {
  string s = "function b() { }"; /* } */
  mapping(address => uint) public total;
  event E(uint a);
  struct S { uint x; }
  constructor(uint a) C(a) { if (a > 1) { s = '}'; } }
  modifier only() { _; }
  function () external payable {}
  function f(uint a) public returns (uint) { assembly { let x := 1 } return a; }
  function g() public virtual;
}
library L { receive() external payable {} }`)
    expect(definitions.map(({ kind, contract, name }) => `${kind} ${contract}.${name}`)).toEqual([
      'function undefined.free',
      'variable B.s',
      'variable B.total',
      'constructor B.constructor',
      'modifier B.only',
      'fallback B.fallback',
      'function B.f',
      'receive L.receive',
    ])
    expect(contracts.map(({ name, isLibrary }) => [name, isLibrary])).toEqual([
      ['B', false],
      ['L', true],
    ])
  })

  it('ends for any text', () => {
    const part = fc.constantFrom(
      'contract A ',
      'function f() ',
      '{',
      '}',
      ';',
      '"',
      "'",
      '/*',
      '*/',
      '//',
      '\n',
      'x',
    )
    const ordered = fc.property(fc.array(part), (parts) =>
      readOutline(parts.join('')).definitions.every(({ start, end }) => start <= end),
    )
    expect(() => fc.assert(ordered, runs(50, 1000))).not.toThrow()
  })
})
