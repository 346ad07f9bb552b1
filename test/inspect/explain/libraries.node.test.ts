import { describe, expect, it } from 'vitest'
import type { Hex } from '../../../src/index.ts'
import { type Explanation, explanationToHtml, explanationToText } from '../../../src/inspect/explain/index.ts'
import { type Compiled, compileSource, encodeCall, startCompiled, wordOf } from '../../tools/compile.ts'

const SOURCE = `library Lib {
  struct S { uint256 a; }
  struct D { uint256 b; }
  enum E { A, B }
  function mem(S memory s) public pure returns (uint256) { require(s.a != 3); return s.a; }
  function many(S[] memory s, E[2] memory e) public pure returns (uint256) { return s.length + uint256(e[1]); }
  function en(E e) public pure returns (E) { return e; }
  function con(U u, uint256 v) public view returns (uint256) { return address(u).code.length > 0 ? v : 0; }
  function st(D storage d, uint256 v) public { require(v != 3); d.b = v; }
  function both(D storage d, S memory s) public { d.b = s.a; }
}
contract U {
  event Named(string indexed name, string other);
  uint256 public n;
  Lib.D d;
  function mem(uint256 v) external { emit Named("x", "y"); n = Lib.mem(Lib.S(v)); }
  function many() external { n = Lib.many(new Lib.S[](2), [Lib.E.A, Lib.E.B]); }
  function en() external { n = uint256(Lib.en(Lib.E.B)); }
  function con() external { n = Lib.con(this, 5); }
  function st(uint256 v) external { Lib.st(d, v); }
  function both(uint256 v) external { Lib.both(d, Lib.S(v)); }
}
contract P {
  U immutable u;
  constructor(U x) { u = x; }
  fallback() external payable {
    address t = address(u);
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), t, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}`

const WITHOUT = compileSource(SOURCE, {}, ['abi', 'evm.bytecode', 'evm.deployedBytecode'])
const WITH = compileSource(SOURCE)

async function start({ buildInfo, contracts }: typeof WITH) {
  const started = await startCompiled({ stackTraces: [buildInfo as never] })
  const { chain, from, deploy } = started
  const { Lib, P } = contracts
  const library = await deploy(Lib!)
  const object = contracts['U']!.evm.bytecode.object.replace(/__\$.{34}\$__/g, library.slice(2))
  const U: Compiled = { ...contracts['U']!, evm: { ...contracts['U']!.evm, bytecode: { object } } }
  const user = await deploy(U)
  const proxy = await deploy(P!, wordOf(user))
  const explain = (to: Hex, name: string, args: readonly unknown[] = [], value?: Hex): Promise<Explanation> =>
    chain.explain(
      { from, to, data: encodeCall(U, name, ...args), ...(value && { value }) } as never,
      { artifacts: buildInfo } as never,
    )
  return { explain, user, proxy }
}

/** The lines of calls of the library, without gas. */
const callsOf = (explanation: Explanation): readonly (string | undefined)[] =>
  explanationToText(explanation, { colors: false })
    .split('\n')
    .filter((line) => line.includes('Lib::'))
    .map((line) => /Lib::.*/.exec(line)?.[0])

describe('functions of a library', () => {
  it.each([
    ['the ABI', WITHOUT],
    ["the compiler's list", WITH],
  ])('are named and decoded by %s, with structs, enums and contracts', async (_name, compiled) => {
    const { explain, user } = await start(compiled)
    expect([
      ...callsOf(await explain(user, 'mem', [1n])),
      ...callsOf(await explain(user, 'many')),
      ...callsOf(await explain(user, 'en')),
      ...callsOf(await explain(user, 'con')),
    ]).toEqual([
      'Lib::mem({ a: 1 }) [delegatecall]',
      'Lib::many([{ a: 0 }, { a: 0 }], [0, 1]) [delegatecall]',
      'Lib::en(1) [delegatecall]',
      `Lib::con(U: [${user}], 5) [delegatecall]`,
    ])
    const { root } = await explain(user, 'mem', [1n])
    const call = root.items.find((item) => item.kind === 'frame')!
    expect(call).toMatchObject({
      function: { name: 'mem', signature: 'mem(Lib.S)' },
      returned: [{ name: '', type: 'uint256', value: 1n }],
    })
  })

  it("are named with references to storage by the compiler's list alone", async () => {
    const { explain, user } = await start(WITH)
    const data = `0x${'1'.padStart(64, '0')}${'4'.padStart(64, '0')}`
    expect([
      ...callsOf(await explain(user, 'st', [4n])),
      ...callsOf(await explain(user, 'both', [4n])),
    ]).toEqual(['Lib::st(1, 4) [delegatecall]', `Lib::both(${data}) [delegatecall]`])
    const { explain: other, user: second } = await start(WITHOUT)
    expect(callsOf(await other(second, 'st', [4n]))).toEqual([
      expect.stringMatching(/^Lib::0x[0-9a-f]{8}\(0x/),
    ])
  })

  it.each([
    ['the ABI', WITHOUT],
    ["the compiler's list", WITH],
  ])('that revert without data are not called missing: %s', async (_name, compiled) => {
    const { explain, user } = await start(compiled)
    for (const name of ['mem', 'st']) {
      const { solidity } = await explain(user, name, [3n])
      expect([solidity!.message, solidity!.frames.map(({ name, line }) => `${name} ${line}`)]).toEqual([
        'reverted without a reason',
        [`Lib.${name} ${name === 'mem' ? 7 : 11}`, `U.${name} ${name === 'mem' ? 18 : 22}`],
      ])
    }
  })

  it('are missing if the compiler lists no such selector', async () => {
    const { chain, deploy, from } = await startCompiled({ stackTraces: [WITH.buildInfo as never] })
    const to = await deploy(WITH.contracts['Lib']!)
    const { solidity } = await chain.explain({ from, to, data: '0x12345678' })
    expect(solidity!.message).toBe('Lib has no function with the selector 0x12345678, and no fallback')
  })
})

describe('ether for a function that is not payable', () => {
  it('is the cause of a failure also if it went through a proxy', async () => {
    const { explain, user, proxy } = await start(WITH)
    for (const to of [user, proxy]) {
      const { solidity } = await explain(to, 'mem', [1n], '0x1')
      expect(solidity).toMatchObject({
        cause: 'not payable',
        message: 'U.mem is not payable, but was sent ether',
        hardhatMessage: 'Transaction reverted: non-payable function was called with value 1',
      })
    }
  })

  it('is no cause in a library, which is called with the ether of its caller', async () => {
    const source = `library L { function f(bool b) public pure returns (bool) { return b; } }
      contract C { function f() external payable {
        (bool ok, bytes memory r) = address(L).delegatecall(abi.encodeWithSelector(L.f.selector, 2));
        if (!ok) assembly { revert(add(r, 32), mload(r)) }
      } }`
    const { buildInfo, contracts } = compileSource(source)
    const { chain, from, deploy } = await startCompiled({ stackTraces: [buildInfo as never] })
    const library = await deploy(contracts['L']!)
    const object = contracts['C']!.evm.bytecode.object.replace(/__\$.{34}\$__/g, library.slice(2))
    const C: Compiled = { ...contracts['C']!, evm: { ...contracts['C']!.evm, bytecode: { object } } }
    const to = await deploy(C)
    const { solidity } = await chain.explain({ from, to, data: encodeCall(C, 'f'), value: '0x1' } as never)
    expect(solidity!.message).toBe('L.f got arguments that do not match their types')
  })
})

describe('an indexed text of an event', () => {
  it('is shown as the hash that it is', async () => {
    const { explain, user } = await start(WITH)
    const explanation = await explain(user, 'mem', [1n])
    const hash = '0x7521d1cadbcfa91eec65aa16715b94ffc1c9654ba57ea2ef1a2127bca1127a83'
    expect(explanationToText(explanation, { colors: false })).toContain(
      `emit Named(name: ${hash}, other: "y")`,
    )
    expect(explanationToHtml(explanation)).not.toContain(`"${hash}`)
    expect(explanationToHtml(explanation)).not.toContain(`&quot;${hash}`)
  })
})
