import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, decodeFunctionResult, encodeFunctionData } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Hex, PresealChain, Provider } from '../../../src/index.ts'
import { startCoverage, stopCoverage } from '../../../src/kits/coverage/index.ts'
import { createGasRecorder } from '../../../src/kits/gas/index.ts'
import { startChain } from '../../harness.ts'
import { compileVault } from './vault.ts'

const SOURCE = readFileSync(join(import.meta.dirname, '../../package/stories/ByHand.sol'), 'utf8')
const info = compileVault({}, SOURCE)
const { abi, evm } = info.output.contracts['contracts/Vault.sol']!['ByHand']! as {
  abi: Abi
  evm: { bytecode: { object: string } }
}

const encode = (functionName: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi, functionName, args })

/** What the contract sees in calls by `call`, and in a transaction. */
async function see(
  chain: PresealChain & { tick(): Promise<unknown> },
  call: (chain: PresealChain, tx: { to: Hex; data: Hex; gas: Hex }) => Promise<Hex>,
): Promise<unknown[]> {
  const from = chain.accounts[0]!.address
  const send = async (tx: { to?: Hex; data: Hex }) => {
    const provider: Provider = chain.live
    const hash = await provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, gas: '0x200000', ...tx }],
    })
    await chain.tick()
    return (await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] }))!
  }
  const { contractAddress } = await send({ data: `0x${evm.bytecode.object}` })
  const to = contractAddress!
  const ask = (data: Hex) => call(chain, { to, data, gas: '0x100000' })
  const read = async (functionName: string, ...args: readonly unknown[]) =>
    decodeFunctionResult({ abi, functionName, data: await ask(encode(functionName, ...args)) })
  const { gasUsed } = await send({ to, data: encode('write', encode('gives')) })
  return [
    await ask(encode('run', encode('fails'))),
    await read('size', encode('gives')),
    await read('created'),
    await read('gas'),
    await read('memory_'),
    gasUsed,
    await Promise.all([0n, 1n, 2n, 3n, 4n].map((at) => read('written', at))),
  ]
}

/** The output of eth_call, also of one that fails. */
async function called(chain: PresealChain, tx: { to: Hex; data: Hex; gas: Hex }): Promise<Hex> {
  const provider: Provider = chain.preconf
  const request = provider.request({ method: 'eth_call', params: [tx, 'pending'] }) as Promise<Hex>
  return request.catch((error) => error.data)
}

/** The output of a call that is traced, instruction by instruction. */
async function traced(chain: PresealChain, tx: { to: Hex; data: Hex; gas: Hex }): Promise<Hex> {
  const trace = await chain.preconf.request({ method: 'debug_traceCall', params: [tx, 'pending', {}] })
  return (trace as { returnValue: Hex }).returnValue
}

async function explained(chain: PresealChain, tx: { to: Hex; data: Hex; gas: Hex }): Promise<Hex> {
  const { root } = await chain.explain(tx, { artifacts: info as never, storage: true } as never)
  return root.output
}

describe.each(['preseal', 'ethereumjs'] as const)('a contract on the engine %s', (engine) => {
  it('sees the return data, gas and memory that it sees without coverage, gas reports and traces', async () => {
    const start = () => startChain({ engine })
    const plain = await see(await start(), called)
    expect(plain.slice(1, 3)).toEqual([32n, 32n])
    const stackTraces = [info as never]
    expect(await see(await startChain({ engine, stackTraces }), called)).toEqual(plain)
    expect(await see(await start(), traced)).toEqual(plain)
    expect(await see(await start(), explained)).toEqual(plain)
    const watched = await start()
    const recorder = createGasRecorder()
    recorder.watch(watched)
    expect(await see(watched, called)).toEqual(plain)
    expect((await recorder.record()).samples).toHaveLength(2)
    startCoverage()
    onTestFinished(stopCoverage)
    expect(await see(await start(), called)).toEqual(plain)
  })
})
