/**
 * Forks of one node on this machine, whose every answer takes 20 ms: `npx tsx bench/forks.ts [--runs N]`, from the
 * repository root after a build. `--before <dist>` compares with an earlier build in place of the peers.
 *
 * Each run is a new process. The second run of a pair finds what the first one has read in its cache; a third one forks the
 * next block, whose answers are not in it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  pad,
  toHex,
} from 'viem'
import { Exchange, Pool, Token } from '../test/contracts/artifacts.ts'
import type { ForkInput, ForkResult } from './children/fork.ts'
import type { RemoteInput, RemoteResult } from './children/remote.ts'
import { buildChildren, resultOf, runChild, startChild, writeInput } from './children.ts'
import { isAnvilInstalled } from './engines/anvil.ts'
import { median } from './measure.ts'
import { alignColumns, formatValue } from './table.ts'
import { account, MNEMONIC, type Plan, sign } from './transactions.ts'

const { values: args } = parseArgs({
  options: { runs: { type: 'string', default: '7' }, before: { type: 'string' } },
})
const runs = Number(args.runs)

const LATENCY_MS = 20
/** Peers keep only answers about blocks that are far behind the head. */
const BEHIND = 500
const RESERVE = 10n ** 20n
const AMOUNT = 10n ** 18n

const owner = account(0).address
/** Three tokens, two pools between them, and the exchange. */
const contracts = [0, 1, 2, 3, 4, 5].map((nonce) => getContractAddress({ from: owner, nonce: BigInt(nonce) }))
const [first, second, third, firstPool, secondPool, exchange] = contracts as [
  Address,
  ...Address[],
] as Address[]

const setup = await sign(createPlans())
buildChildren()
const remoteInput: RemoteInput = {
  mnemonic: MNEMONIC,
  count: 1,
  setup,
  blocks: BEHIND,
  latencyMs: LATENCY_MS,
}
const node = startChild('remote', [writeInput('remote', remoteInput)])
const remote = await resultOf<RemoteResult>(node)
if (!remote) process.exit(1)

const peers = args.before === undefined ? ['edr', ...(isAnvilInstalled() ? ['anvil'] : [])] : ['before']
const engines = ['preseal', ...peers]
const rows = [
  'create, first answer',
  'first call of a swap',
  'the same, cached before',
  'create, cached before',
  'the first call, at the next block',
  'create, at the next block',
  '1,000 calls after',
]
const values = new Map<string, number[][]>(engines.map((engine) => [engine, rows.map(() => [])]))
for (let run = 0; run < runs; run++) {
  for (const engine of engines) {
    const cache = mkdtempSync(join(tmpdir(), 'preseal-bench-fork-'))
    const block = remote.head - BEHIND
    const cold = await measure(engine, cache, block)
    const warm = await measure(engine, cache, block)
    const next = await measure(engine, cache, block + 1)
    const results = [
      cold.create,
      cold.firstCall,
      warm.firstCall,
      warm.create,
      next.firstCall,
      next.create,
      cold.calls,
    ]
    for (const [row, value] of results.entries()) values.get(engine)![row]!.push(value)
    rmSync(cache, { recursive: true, force: true })
  }
}
node.disconnect()

console.log(`medians of ${runs} runs, ms; the node answers after ${LATENCY_MS} ms\n`)
const at = (engine: string, row: number) => median(values.get(engine)![row]!)
console.log(
  alignColumns([
    ['', ...engines, ...peers.map((peer) => `preseal/${peer}`)],
    ...rows.map((label, row) => [
      label,
      ...engines.map((engine) => formatValue(at(engine, row))),
      ...peers.map((peer) => `×${formatValue(at(peer, row) / at('preseal', row))}`),
    ]),
  ]),
)

async function measure(engine: string, cache: string, block: number): Promise<ForkResult> {
  const call = { from: owner, to: exchange, data: swap([first!, second!, third!]) }
  const input: ForkInput = {
    engine: engine === 'before' ? 'preseal' : engine,
    fork: { url: remote!.url, block, cache },
    call,
    answer: expectedAnswer(),
  }
  const env = engine === 'before' ? { PRESEAL_DIST: resolve(args.before!) } : {}
  const result = await runChild<ForkResult>('fork', [writeInput('fork', input)], { env })
  if (!result) process.exit(1)
  return result
}

/** Deploys the contracts, fills the pools and approves the exchange. */
function createPlans(): Plan[] {
  const tokens = [first!, second!, third!]
  const deployments = [
    ...tokens.map(() => Token.bytecode),
    encodeDeployData({ ...Pool, args: [first!, second!] }),
    encodeDeployData({ ...Pool, args: [second!, third!] }),
    Exchange.bytecode,
  ]
  const calls: (readonly [Address, Hex])[] = [
    [first!, transfer(firstPool!)],
    [second!, transfer(firstPool!)],
    [second!, transfer(secondPool!)],
    [third!, transfer(secondPool!)],
    ...[firstPool!, secondPool!].map(
      (pool) => [pool, encodeFunctionData({ abi: Pool.abi, functionName: 'sync' })] as const,
    ),
    ...[firstPool!, secondPool!].map(
      (pool) =>
        [exchange!, encodeFunctionData({ abi: Exchange.abi, functionName: 'add', args: [pool] })] as const,
    ),
    [
      first!,
      encodeFunctionData({ abi: Token.abi, functionName: 'approve', args: [exchange!, 2n ** 256n - 1n] }),
    ],
  ]
  return [
    ...deployments.map((data, nonce): Plan => ({ sender: 0, nonce, gas: 3_000_000n, data })),
    ...calls.map(
      ([to, data], index): Plan => ({
        sender: 0,
        nonce: deployments.length + index,
        gas: 500_000n,
        to,
        data,
      }),
    ),
  ]
}

function transfer(to: Address): Hex {
  return encodeFunctionData({ abi: Token.abi, functionName: 'transfer', args: [to, RESERVE] })
}

function swap(path: readonly Address[]): Hex {
  return encodeFunctionData({ abi: Exchange.abi, functionName: 'swap', args: [AMOUNT, path] })
}

/** What two swaps in a row return, by the formula of the contract. */
function expectedAnswer(): Hex {
  const out = (amount: bigint) => (RESERVE * amount) / (RESERVE + amount)
  return pad(toHex(out(out(AMOUNT))), { size: 32 })
}
