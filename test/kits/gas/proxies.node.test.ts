import { describe, expect, it } from 'vitest'
import type { Hex } from '../../../src/index.ts'
import { createGasRecorder, createGasReport } from '../../../src/kits/gas/index.ts'
import { type Compiled, compileSource, encodeCall, startCompiled, wordOf } from '../../tools/compile.ts'

const { buildInfo, contracts } = compileSource(`
contract Box { uint256 public n; function set(uint256 v) external { n = v; } receive() external payable {} }
contract NewBox { uint256 public n; function set(uint256 v) external { n = v + 1; } function init(uint256 v) external { n = v; } }
contract Beacon { address public implementation; constructor(address x) { implementation = x; } }
interface I { function implementation() external view returns (address); function upgrade(address to, bytes calldata data) external; }
abstract contract Base {
  function pass(address t) internal {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), t, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}
contract AdminProxy is Base {
  bytes32 constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
  address immutable admin;
  constructor(address t, address a) { admin = a; put(t); }
  function put(address t) internal { bytes32 s = SLOT; assembly { sstore(s, t) } }
  function get() internal view returns (address t) { bytes32 s = SLOT; assembly { t := sload(s) } }
  fallback() external payable {
    if (msg.sender != admin) pass(get());
    require(msg.sig == I.upgrade.selector);
    (address t, bytes memory data) = abi.decode(msg.data[4:], (address, bytes));
    put(t);
    if (data.length > 0) { (bool ok, ) = t.delegatecall(data); require(ok); }
  }
  receive() external payable { pass(get()); }
}
contract BeaconProxy is Base {
  bytes32 constant SLOT = 0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50;
  constructor(address t) { bytes32 s = SLOT; assembly { sstore(s, t) } }
  fallback() external payable { address t; bytes32 s = SLOT; assembly { t := sload(s) } pass(I(t).implementation()); }
}
contract Both { event Data(uint256 length); fallback() external { emit Data(msg.data.length); } receive() external payable {} }
`)
const { Box, NewBox, Beacon, AdminProxy, BeaconProxy, Both } = contracts as Required<typeof contracts>

/** Watches a chain, and names the methods of its report with their counts. */
async function start(stated: Parameters<typeof startCompiled>[0] = {}) {
  const started = await startCompiled(stated)
  const recorder = createGasRecorder()
  recorder.watch(started.chain)
  const report = async () => {
    const { contracts } = await createGasReport([await recorder.record()], { artifacts: { buildInfo } })
    return contracts.flatMap(({ name, methods }) =>
      methods.map(({ signature, count, min, max }) => ({ method: `${name} ${signature}`, count, min, max })),
    )
  }
  return { ...started, report }
}

const row = (method: string, ...gas: readonly number[]) => ({
  method,
  count: gas.length,
  min: Math.min(...gas),
  max: Math.max(...gas),
})

describe('the gas of a proxy', () => {
  it('is known also if the transaction is reverted at once', async () => {
    const { chain, from, send, deploy, report } = await start()
    const other = chain.accounts[1]!.address
    const proxy = await deploy(AdminProxy!, `${wordOf(await deploy(Box!))}${wordOf(other)}`)
    const snapshot = await chain.snapshot()
    const { gasUsed } = await send({ from, to: proxy, data: encodeCall(Box!, 'set', 1n) })
    await chain.revert(snapshot)
    expect(await report()).toEqual([row('Box (via AdminProxy) set(uint256)', Number(gasUsed))])
  })

  it('is its own for what it does itself, and of the implementation that it passes calls on to', async () => {
    const { chain, from, send, deploy, report } = await start()
    const other = chain.accounts[1]!.address
    const [box, next] = [await deploy(Box!), await deploy(NewBox!)]
    const proxy = await deploy(AdminProxy!, `${wordOf(box)}${wordOf(other)}`)
    const gas: number[] = []
    const call = async (from: Hex, data: Hex, value: Hex = '0x0') => {
      const { gasUsed, status } = await send({ from, to: proxy, data, value })
      expect(status).toBe('0x1')
      gas.push(Number(gasUsed))
    }
    const upgrade = (to: Hex, data: Hex) =>
      encodeCall(
        {
          abi: [{ type: 'function', name: 'upgrade', inputs: [{ type: 'address' }, { type: 'bytes' }] }],
        } as never as Compiled,
        'upgrade',
        to,
        data,
      )
    await call(from, encodeCall(Box!, 'set', 1n))
    await call(from, '0x', '0x1')
    await call(other, upgrade(next, '0x'))
    await call(from, encodeCall(Box!, 'set', 1n))
    await call(other, upgrade(box, '0x'))
    await call(other, upgrade(next, encodeCall(NewBox!, 'init', 7n)))
    expect(await report()).toEqual([
      row('AdminProxy fallback()', gas[2]!, gas[4]!, gas[5]!),
      row('Box (via AdminProxy) receive()', gas[1]!),
      row('Box (via AdminProxy) set(uint256)', gas[0]!),
      row('NewBox (via AdminProxy) set(uint256)', gas[3]!),
    ])
  })

  it('is of the implementation that a beacon names, and of one behind a clone of the proxy', async () => {
    const { chain, send, deploy, report } = await start({ mining: 'auto' })
    const box = await deploy(Box!)
    const proxy = await deploy(BeaconProxy!, wordOf(await deploy(Beacon!, wordOf(box))))
    const clone: Hex = '0x00000000000000000000000000000000000000aa'
    await chain.setCode(clone, `0x363d3d373d3d3d363d73${proxy.slice(2)}5af43d82803e903d91602b57fd5bf3`)
    await chain.setStorageAt(
      clone,
      '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
      await chain.standard.request({
        method: 'eth_getStorageAt',
        params: [proxy, '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50', 'latest'],
      }),
    )
    const gas: number[] = []
    for (const to of [proxy, clone])
      gas.push(Number((await send({ to, data: encodeCall(Box!, 'set', 1n) })).gasUsed))
    expect(await report()).toEqual([
      row('Box (via BeaconProxy) set(uint256)', gas[0]!),
      row('Box (via EIP-1167, BeaconProxy) set(uint256)', gas[1]!),
    ])
  })
})

describe('a call with less than a selector', () => {
  it('is one of `receive` without data alone', async () => {
    const { send, deploy, report } = await start()
    const to = await deploy(Both!)
    const gas: number[] = []
    for (const data of ['0x', '0x12', '0x123456', '0x12345678'] as const)
      gas.push(Number((await send({ to, data })).gasUsed))
    expect(await report()).toEqual([row('Both fallback()', ...gas.slice(1)), row('Both receive()', gas[0]!)])
  })
})
