import { describe, expect, it } from 'vitest'
import type { Hex, PresealRpcSchema } from '../../../src/index.ts'
import { ask, probeCall, startScene, tokenCall } from '../scene.ts'

type Request = PresealRpcSchema['wallet_sendCalls']['params'][0]

describe('wallet_getCallsStatus', () => {
  it('returns the receipts of a batch, as each view shows them', async () => {
    const { chain, accounts, token } = await startScene()
    const [, bob] = accounts
    const calls = [
      { to: token, data: tokenCall('transfer', [bob, 7n]) },
      { to: bob!, value: '0x5' },
    ] as const
    const params: [Request] = [{ version: '2.0.0', chainId: '0x7a69', atomicRequired: false, calls }]
    const { id } = await chain.standard.request({ method: 'wallet_sendCalls', params })
    const status = (view: 'standard' | 'preconf') =>
      chain[view].request({ method: 'wallet_getCallsStatus', params: [id] })
    const waiting = { version: '2.0.0', id, chainId: '0x7a69', status: 100, atomic: true }
    expect(await status('standard')).toEqual(waiting)
    expect(await status('preconf')).toEqual(waiting)

    const { block, receipts } = await chain.tick()
    const own = receipts.filter(({ from }) => from === accounts[0]).slice(-2)
    expect(own).toHaveLength(2)
    const shown = own.map(({ logs, status, blockHash, blockNumber, gasUsed, transactionHash }) => ({
      logs: logs.map(({ address, topics, data }) => ({ address, topics, data })),
      status,
      blockHash,
      blockNumber,
      gasUsed,
      transactionHash,
    }))
    expect(shown.map(({ logs }) => logs.length)).toEqual([1, 0])
    expect(await status('preconf')).toEqual({ ...waiting, status: 200, receipts: shown })
    expect(await status('standard')).toEqual(waiting)

    const sealed = await chain.seal()
    expect(sealed.block.hash).toBe(block.hash)
    expect(await status('standard')).toEqual({ ...waiting, status: 200, receipts: shown })
  })

  it('reports calls that failed in different blocks, some or all of them', async () => {
    const { chain, probe } = await startScene({}, { skipHeaderValidation: true })
    const { preconf } = chain
    await chain.seal()
    await preconf.request({ method: 'evm_setBlockGasLimit', params: ['0xea60'] })
    const code = await preconf.request({ method: 'eth_getCode', params: [probe, 'latest'] })
    const setCode = (to: Hex) => preconf.request({ method: 'anvil_setCode', params: [probe, to] })
    const send = async (...slots: readonly bigint[]) => {
      const calls = slots.map((slot) => ({ to: probe, data: probeCall('set', [slot, 1n]) }))
      const params: [Request] = [{ version: '2.0.0', chainId: '0x7a69', atomicRequired: false, calls }]
      return (await preconf.request({ method: 'wallet_sendCalls', params })).id
    }
    const statusOf = async (id: string) => {
      const { status, receipts } = await preconf.request({ method: 'wallet_getCallsStatus', params: [id] })
      return [status, receipts?.map((receipt) => receipt.status)]
    }

    const some = await send(100n, 101n)
    await chain.seal()
    await setCode('0xfe')
    await chain.seal()
    expect(await statusOf(some)).toEqual([600, ['0x1', '0x0']])

    await setCode(code)
    const all = await send(102n, 103n)
    await setCode('0xfe')
    await chain.seal()
    expect(await statusOf(all)).toEqual([100, ['0x0']])
    await chain.seal()
    expect(await statusOf(all)).toEqual([500, ['0x0', '0x0']])
  })

  it('reports a batch of which a reorg included only one call', async () => {
    const { chain, accounts } = await startScene()
    await chain.seal()
    const calls = [{ to: accounts[1]! }, { to: accounts[2]! }]
    const params: [Request] = [{ version: '2.0.0', chainId: '0x7a69', atomicRequired: true, calls }]
    const { id } = await chain.preconf.request({ method: 'wallet_sendCalls', params })
    const statusOf = async () => {
      const status = await chain.preconf.request({ method: 'wallet_getCallsStatus', params: [id] })
      return [status.status, status.receipts?.length]
    }
    const { block } = await chain.seal()
    const [first] = block.transactions.map(({ hash }) => hash)
    const raw = await chain.preconf.request({ method: 'eth_getRawTransactionByHash', params: [first!] })
    await chain.reorg({ depth: 1, replace: [[raw!]] })
    expect(await statusOf()).toEqual([600, 1])
    await chain.preconf.request({ method: 'anvil_rollback', params: [1] })
    expect(await statusOf()).toEqual([100, undefined])
    await chain.seal()
    expect(await statusOf()).toEqual([600, 1])
  })

  it('refuses unknown ids', async () => {
    const { chain } = await startScene()
    expect(await ask(chain.preconf, 'wallet_getCallsStatus', ['x'])).toBe('error 5730 unknown batch ID x')
    expect(await ask(chain.standard, 'wallet_getCallsStatus', ['0x'])).toBe('error 5730 unknown batch ID 0x')
    expect(await ask(chain.standard, 'wallet_getCallsStatus', [1])).toBe(
      'error -32602 invalid argument 0: expected an id of up to 4096 bytes',
    )
  })
})
