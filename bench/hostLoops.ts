/** What `hosts.ts` measures: calls of contracts, on one engine. It is bundled, since it runs in pages too. */
import { encodeFunctionData } from 'viem'
import type { Address, Hex } from '../src/base/types.ts'
import { compilation } from '../src/ethereum/evm/engine/hotCode.ts'
import { createChain } from '../src/index.ts'
import { Token } from '../test/contracts/artifacts.ts'
import { createFibonacci, createHashing } from './loops.ts'

/** The first call uses 58 million. */
const GAS_LIMIT = 100_000_000n

/** How long each call is measured, after as long for warm-up: with less of it, Firefox measures its compiler. */
const MIN_MS = 3_000

/**
 * What executes the calls: the fast loop, alone or with code that runs for long compiled to WebAssembly, as by default;
 * the plain loop, with which `hosts.ts` replaces the fast one in a bundle of its own; or the second engine.
 */
export type Execution = 'fast' | 'default' | 'plain' | 'ethereumjs'

/** The milliseconds of processor time of a call, by what it does. */
export type Figures = Readonly<Record<string, number>>

/**
 * Measures each call for some seconds, after as long for warm-up.
 *
 * @param cpuTime - the milliseconds that the host's processes have computed; other load affects this less than real time.
 * @throws Error if an answer is wrong.
 */
export async function measure(
  execution: Execution,
  cpuTime: () => number | Promise<number>,
): Promise<Figures> {
  compilation.isRefused = execution !== 'default'
  const chain = await createChain({
    mining: 'manual',
    engine: execution === 'ethereumjs' ? 'ethereumjs' : 'preseal',
    gasLimit: GAS_LIMIT,
    limits: { gasCap: GAS_LIMIT },
  })
  const [from, to] = chain.accounts.map(({ address }) => address) as [Address, Address]

  async function deploy(data: Hex): Promise<Address> {
    const hash = await chain.live.request({ method: 'eth_sendTransaction', params: [{ from, data }] })
    await chain.seal()
    const receipt = await chain.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    return receipt!.contractAddress!
  }

  async function meanOf(contract: Address, data: Hex, expected: Hex): Promise<number> {
    const params = [{ from, to: contract, data }, 'latest'] as const
    async function repeat(): Promise<number> {
      const before = await cpuTime()
      const start = performance.now()
      let calls = 0
      while (performance.now() - start < MIN_MS) {
        const answer = await chain.standard.request({ method: 'eth_call', params })
        if (answer !== expected) throw new Error(`the answer is ${answer}, not ${expected}`)
        calls += 1
      }
      return ((await cpuTime()) - before) / calls
    }
    await repeat()
    return repeat()
  }

  const figures: Record<string, number> = {}
  const [fibonacci, hashing] = [createFibonacci(), createHashing()]
  figures['additions in a loop, 10^6'] = await meanOf(
    await deploy(fibonacci.creation),
    '0x',
    fibonacci.answer,
  )
  figures['hashes in a loop, 10^4'] = await meanOf(await deploy(hashing.creation), '0x', hashing.answer)

  const token = await deploy(Token.bytecode)
  const { abi } = Token
  const transfer = encodeFunctionData({ abi, functionName: 'transfer', args: [to, 1n] })
  const balanceOf = encodeFunctionData({ abi, functionName: 'balanceOf', args: [to] })
  figures['transfer of an ERC-20'] = await meanOf(token, transfer, `0x${'1'.padStart(64, '0')}`)
  figures['balanceOf of an ERC-20'] = await meanOf(token, balanceOf, `0x${'0'.repeat(64)}`)
  await chain.close()
  return figures
}
