import { describe, expect, it } from 'vitest'
import type { Hex } from '../../../src/index.ts'
import { explanationToText } from '../../../src/inspect/explain/index.ts'
import { compileSource, encodeCall, startCompiled, wordOf } from '../../tools/compile.ts'

const { buildInfo, contracts } = compileSource(`
contract Impl { uint256 public n; function set(uint256 v) external { n = v; } }
contract Other { uint256 public n; function set(uint256 v) external { n = v + 1; } }
contract Beacon { address public implementation; constructor(address x) { implementation = x; } }`)
const { Impl, Other, Beacon } = contracts as Required<typeof contracts>
const artifacts = { artifacts: { buildInfo } } as never

const SLOT = '360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const BEACON = 'a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
const PROXY = '0x00000000000000000000000000000000000000aa'

/** Compiled on its own, so that no artifact has it. */
const BEACON_PROXY: Hex = `0x${
  compileSource(`
    interface I { function implementation() external view returns (address); }
    contract Proxy { fallback() external payable { assembly {
      mstore(0, 0x5c60da1b)
      pop(staticcall(gas(), sload(0x${BEACON}), 28, 4, 0, 32))
      let to := mload(0)
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) { revert(0, returndatasize()) }
      return(0, returndatasize())
    } } }`).contracts['Proxy']!.evm.deployedBytecode.object
}`

/** The first line of the tree of a call of `set`, without gas. */
async function explain(code: Hex, slot: string, target: 'implementation' | 'beacon'): Promise<unknown[]> {
  const { chain, from, deploy } = await startCompiled()
  await deploy(Other!)
  const implementation = await deploy(Impl!)
  const beacon = await deploy(Beacon!, wordOf(implementation))
  await chain.setCode(PROXY, code.replace('ADDRESS', implementation.slice(2)) as Hex)
  const word: Hex = `0x${wordOf(target === 'beacon' ? beacon : implementation)}`
  await chain.setStorageAt(PROXY, `0x${slot}`, word)
  const explanation = await chain.explain({ from, to: PROXY, data: encodeCall(Impl!, 'set', 5n) }, artifacts)
  const lines = explanationToText(explanation, { colors: false }).split('\n')
  return [/\] (.*)/.exec(lines.find((line) => line.includes('set('))!)?.[1], explanation.notes]
}

describe('a proxy whose code no artifact has', () => {
  it.each<readonly [string, Hex, string, 'clone' | 'proxy']>([
    [
      'a clone with PUSH0',
      '0x5f5f365f5f37365f73ADDRESS5af43d5f5f3e6029573d5ffd5b3d5ff3' as Hex,
      SLOT,
      'clone',
    ],
    [
      'a minimal proxy of EIP-1967',
      `0x363d3d373d3d363d7f${SLOT}545af43d6000803e6038573d6000fd5b3d6000f3`,
      SLOT,
      'proxy',
    ],
    ['one that reads the implementation from a beacon', BEACON_PROXY, BEACON, 'proxy'],
  ])('is named by what it runs: %s', async (_name, code, slot, kind) => {
    const target = slot === BEACON ? 'beacon' : 'implementation'
    expect(await explain(code, slot, target)).toEqual([`Impl::set(5) (${kind} at ${PROXY})`, []])
  })
})
