import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import type { ChainOptions, ConsoleLog, Hex } from '../src/index.ts'
import { Talker } from './contracts/artifacts.ts'
import { startChain, type TestChain } from './harness.ts'
import { ask, send } from './rpc/scene.ts'

const say = (functionName: string, ...args: unknown[]): Hex =>
  encodeFunctionData({ abi: Talker.abi as Abi, functionName, args })

async function startTalker(options: ChainOptions = {}): Promise<{ chain: TestChain; talker: Hex }> {
  const chain = await startChain(options)
  const talker = getContractAddress({ from: chain.accounts[0]!.address, nonce: 0n }).toLowerCase() as Hex
  await send(chain, 0, { nonce: 0, data: encodeDeployData(Talker), gas: 1_000_000n })
  await chain.seal()
  return { chain, talker }
}

describe('console.log of contracts', () => {
  it('is emitted once for transactions, also reverted ones, after their preconf block', async () => {
    const { chain, talker } = await startTalker()
    const events: unknown[] = []
    chain.on('console', (log) => events.push(log))
    chain.on('preconf', ({ block }) => events.push(`preconf block with ${block.transactions.length}`))
    chain.on('block', ({ block }) => events.push(`block with ${block.transactions.length}`))
    const first = await send(chain, 0, { nonce: 1, to: talker, data: say('say', 'number %d', 7n) })
    const second = await send(chain, 0, { nonce: 2, to: talker, data: say('sayAndRevert', 'enough') })
    await chain.tick()
    await chain.seal()
    const log = { address: talker }
    expect(events).toEqual([
      'preconf block with 2',
      { ...log, transactionHash: first, args: ['number %d', 7n], message: 'number 7' },
      { ...log, transactionHash: second, args: ['enough'], message: 'enough' },
      'block with 2',
      'preconf block with 0',
    ])
  })

  it('is emitted for calls, and for estimates that fail', async () => {
    const { chain, talker } = await startTalker()
    const logs: ConsoleLog[] = []
    chain.on('console', (log) => logs.push(log))
    const call = (functionName: string, ...args: unknown[]) => ({
      to: talker,
      data: say(functionName, ...args),
    })
    await ask(chain.preconf, 'eth_call', [call('say', 'called', 1n)])
    await ask(chain.preconf, 'eth_call', [call('sayAndRevert', 'called in vain')])
    await ask(chain.preconf, 'eth_estimateGas', [call('say', 'estimated', 1n)])
    await ask(chain.preconf, 'eth_estimateGas', [call('sayAndRevert', 'estimated in vain')])
    await ask(chain.preconf, 'debug_traceCall', [call('say', 'traced', 1n)])
    expect(logs.map(({ message, transactionHash }) => [message, transactionHash])).toEqual([
      ['called 1', null],
      ['called in vain', null],
      ['estimated in vain', null],
    ])
  })

  it('is emitted for refused sends whose gas the chain estimates', async () => {
    const { chain, talker } = await startTalker()
    const logs: unknown[] = []
    chain.on('console', ({ message, transactionHash }) => logs.push([message, transactionHash]))
    const sender = { from: chain.accounts[0]!.address }
    const refused = { ...sender, to: talker, data: say('sayAndRevert', 'in vain') }
    const filled = { ...sender, to: talker, data: say('say', 'filled in', 1n) }
    await ask(chain.standard, 'eth_fillTransaction', [filled])
    expect(logs).toEqual([])
    expect(await ask(chain.standard, 'eth_sendTransaction', [refused])).toContain('execution reverted')
    const batch = { version: '2.0.0', chainId: '0x7a69', atomicRequired: true, calls: [filled, refused] }
    expect(await ask(chain.standard, 'wallet_sendCalls', [{ ...batch, ...sender }])).toContain(
      'execution reverted',
    )
    expect(logs).toEqual([
      ['in vain', null],
      ['in vain', null],
    ])
  })

  it('uses the same gas with and without a listener', async () => {
    const { chain, talker } = await startTalker()
    const gasUsed = async (nonce: number) => {
      await send(chain, 0, { nonce, to: talker, data: say('say', 'number', 7n) })
      return (await chain.seal()).receipts[0]!.gasUsed
    }
    await gasUsed(1)
    const without = await gasUsed(2)
    const listener = vi.fn()
    chain.on('console', listener)
    expect(await gasUsed(3)).toBe(without)
    expect(listener).toHaveBeenCalledTimes(1)
    chain.off('console', listener)
    await gasUsed(4)
    expect(listener).toHaveBeenCalledTimes(1)
  })

  it('changes no answer if there is a listener', async () => {
    const { chain, talker } = await startTalker()
    const call = { to: talker, gas: '0x186a0' }
    const answers = async () => [
      await ask(chain.preconf, 'eth_call', [call, 'latest', { [talker]: { code: '0xfe' } }]),
      await ask(chain.preconf, 'eth_estimateGas', [call, 'latest', { [talker]: { code: '0x0c' } }]),
    ]
    const without = await answers()
    expect(without).toEqual(['error -32000 invalid opcode', 'error -32000 invalid opcode'])
    chain.on('console', () => {})
    expect(await answers()).toEqual(without)
  })

  it('shows unknown payloads unchanged', async () => {
    const { chain, talker } = await startTalker()
    const logs: ConsoleLog[] = []
    chain.on('console', (log) => logs.push(log))
    await send(chain, 0, { nonce: 1, to: talker, data: say('sayRaw', '0x12345678') })
    await chain.tick()
    expect(logs.map(({ message, args }) => [message, args])).toEqual([['0x12345678', ['0x12345678']]])
  })

  it('is printed with the option console', async () => {
    const { chain, talker } = await startTalker({ console: true })
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await send(chain, 0, { nonce: 1, to: talker, data: say('say', 'number', 7n) })
      await chain.tick()
      expect(printed.mock.calls).toEqual([['number 7']])
    } finally {
      printed.mockRestore()
    }
  })

  it('is printed only if setLoggingEnabled turns it on', async () => {
    const { chain, talker } = await startTalker()
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    const saying = async (nonce: number, word: string) => {
      await send(chain, 0, { nonce, to: talker, data: say('say', word, 7n) })
      await chain.tick()
    }
    try {
      await saying(1, 'unheard')
      await ask(chain.standard, 'hardhat_setLoggingEnabled', [true])
      await saying(2, 'heard')
      await ask(chain.standard, 'hardhat_setLoggingEnabled', [false])
      await saying(3, 'unheard')
      expect(printed.mock.calls).toEqual([['heard 7']])
    } finally {
      printed.mockRestore()
    }
  })

  it('is emitted again for withdrawn transactions, but not for those in a rebuilt block', async () => {
    const { chain, talker } = await startTalker()
    const events: unknown[] = []
    chain.on('console', ({ message, transactionHash }) => events.push([message, transactionHash]))
    const hash = await send(chain, 0, { nonce: 1, to: talker, data: say('say', 'number', 7n) })
    await chain.tick()
    expect(events).toEqual([['number 7', hash]])
    const retracted: unknown[] = []
    chain.on('retracted', ({ transactions }) => retracted.push(transactions))
    await ask(chain.standard, 'anvil_setCoinbase', [talker])
    expect([events.length, retracted]).toEqual([1, [[]]])
    await chain.retract({ transactions: [hash] })
    expect([events.length, retracted]).toEqual([1, [[], [hash]]])
    await chain.tick()
    expect(events.slice(1)).toEqual([['number 7', hash]])
  })

  it('is limited to 16 MiB per execution, since logging the same memory again costs little gas', async () => {
    const { chain } = await startTalker()
    const logs: ConsoleLog[] = []
    chain.on('console', (log) => logs.push(log))
    /** Code that calls the console with `size` bytes of memory, given as three bytes of hex. */
    const callWith = (size: string) => `5f5f62${size}5f6a636f6e736f6c652e6c6f6762fffffffa50`
    await ask(chain.preconf, 'eth_call', [{ data: `0x${callWith('100000').repeat(20)}` }])
    expect(logs).toHaveLength(16)
    logs.length = 0
    await ask(chain.preconf, 'eth_call', [{ data: `0x${callWith('010000').repeat(20)}` }])
    expect(logs).toHaveLength(20)
  })
})
