/**
 * Compares traces of the same transactions by preseal and by anvil, field by field, and prints the differences.
 *
 * `npx tsx bench/traces.ts`, from the repository root after `npm run build`. Exits with 1 if a difference has no
 * explanation.
 */
import { type Abi, encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { Mortal, Nest } from '../test/contracts/artifacts.ts'
import { engine as anvilEngine, isAnvilInstalled } from './engines/anvil.ts'
import type { EngineChain } from './engines/engine.ts'
import { engine as presealEngine } from './engines/preseal.ts'
import { account, MNEMONIC, type Plan, sign } from './transactions.ts'

/** A field that differs. */
interface Difference {
  readonly transaction: string
  readonly trace: string
  readonly path: string
  readonly preseal: unknown
  readonly anvil: unknown
}

/** Transactions that call precompiles. */
const PRECOMPILES: ReadonlySet<string> = new Set(['precompiles', 'everything'])

/** The intended differences, with a test that recognises each. */
const EXPLAINED: readonly (readonly [why: string, is: (difference: Difference) => boolean])[] = [
  [
    'callTracer: the gas of the outermost frame is the gas limit (go-ethereum); anvil leaves the intrinsic gas out',
    ({ trace, path }) => trace.startsWith('callTracer') && path === 'gas',
  ],
  [
    'callTracer: logs of a failed transaction are left out (go-ethereum); anvil leaves out those of inner frames only',
    ({ trace, path }) => trace.startsWith('callTracer') && path === 'logs',
  ],
  [
    'callTracer: onlyTopCall leaves out a selfdestruct like any call, as in go-ethereum',
    ({ trace, path }) => trace === 'callTracer onlyTopCall' && path === 'calls',
  ],
  [
    'errors are worded as go-ethereum and Parity do; anvil shows the names of its engine for some',
    ({ path, anvil }) =>
      path.endsWith('error') && /^(Some\(|StateChangeDuringStaticCall)/.test(String(anvil)),
  ],
  [
    'prestateTracer: a slot that an SSTORE names in a static call counts as touched, as in go-ethereum',
    ({ transaction, trace, path }) =>
      transaction === 'failures' && trace === 'prestateTracer' && path.endsWith('.storage'),
  ],
  [
    'struct logs: the storage of an SSTORE that fails is what it would have been, as in go-ethereum',
    ({ trace, path }) => trace.startsWith('struct') && path.includes('.storage.'),
  ],
  [
    'struct logs: the cost of a creation is without the gas it passes on, as in go-ethereum',
    ({ trace, path, preseal, anvil }) =>
      trace.startsWith('struct') && path.endsWith('.gasCost') && Number(anvil) > Number(preseal),
  ],
  [
    'struct logs: the cost of an instruction that runs out of gas is what it takes; anvil shows what was left',
    ({ trace, path, preseal, anvil }) =>
      trace.startsWith('struct') && path.endsWith('.gasCost') && Number(anvil) < Number(preseal),
  ],
  [
    'struct logs: the refund is what the transaction has earned so far, as in go-ethereum; anvil counts by frame',
    ({ trace, path }) => trace.startsWith('struct') && path.endsWith('.refund'),
  ],
  [
    '4byteTracer: calls of precompiles are left out, as in go-ethereum',
    ({ transaction, trace, preseal }) =>
      PRECOMPILES.has(transaction) && trace === '4byteTracer' && preseal === undefined,
  ],
  [
    'trace_transaction: calls of precompiles without ether are left out, as Parity and Erigon do',
    ({ transaction, trace }) => PRECOMPILES.has(transaction) && trace === 'trace_transaction',
  ],
]

const debug = 'debug_traceTransaction'
const TRACES: readonly (readonly [name: string, method: string, options?: object])[] = [
  ['callTracer', debug, { tracer: 'callTracer' }],
  ['callTracer withLog', debug, { tracer: 'callTracer', tracerConfig: { withLog: true } }],
  ['callTracer onlyTopCall', debug, { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }],
  ['prestateTracer', debug, { tracer: 'prestateTracer' }],
  ['prestateTracer diffMode', debug, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
  ['4byteTracer', debug, { tracer: '4byteTracer' }],
  ['noopTracer', debug, { tracer: 'noopTracer' }],
  ['struct logs', debug, {}],
  ['struct logs with memory and return data', debug, { enableMemory: true, enableReturnData: true }],
  ['trace_transaction', 'trace_transaction'],
]

if (!isAnvilInstalled()) throw new Error('anvil is missing: run `npm install` in bench/ first')
const accounts = { mnemonic: MNEMONIC, addresses: [account(0).address] }
const preseal = await presealEngine.create({ accounts })
const anvil = await anvilEngine.create({ accounts, steps: true })
const differences: Difference[] = []
let compared = 0
const drafts = Object.entries(transactions())
const raws = await sign(drafts.map(([, draft], nonce) => ({ sender: 0, nonce, gas: 3_000_000n, ...draft })))
for (const [i, [name]] of drafts.entries()) {
  const hash = await include(raws[i]!)
  for (const [trace, method, options] of TRACES) {
    const params = options === undefined ? [hash] : [hash, options]
    const [ours, theirs] = await Promise.all([preseal.request(method, params), anvil.request(method, params)])
    // Through JSON, like anvil's.
    compare({ transaction: name, trace }, [], JSON.parse(JSON.stringify(ours)), theirs)
  }
}
await Promise.all([preseal.close(), anvil.close()])
report()

/** Deployments of two Nests, and all their functions. */
function transactions(): Record<string, Partial<Plan>> {
  const from = account(0).address
  const [nest, other] = [0n, 1n].map((nonce) => getContractAddress({ from, nonce })) as [Hex, Hex]
  const mortal = getContractAddress({ from, nonce: 2n })
  const heir = '0x00000000000000000000000000000000000e1dad'
  const call = (functionName: string, ...args: unknown[]) => ({
    to: nest,
    data: encodeFunctionData({ abi: Nest.abi as Abi, functionName, args }),
  })
  const die = encodeFunctionData({ abi: Mortal.abi, functionName: 'die', args: [heir] })
  return {
    'deploy one': { data: Nest.bytecode },
    'deploy another': { data: Nest.bytecode },
    'deploy a mortal': { data: Mortal.bytecode, value: 7n },
    calls: { ...call('calls', other), value: 100n },
    failures: { ...call('failures', other), value: 100n },
    precompiles: { ...call('precompiles'), value: 100n },
    creations: { ...call('creations', heir), value: 100n },
    everything: { ...call('everything', other, heir), value: 100n, gas: 9_000_000n },
    dive: call('dive', other, 9n),
    'clear a slot': call('leaf', 0n),
    refuse: call('refuse', 5n),
    'refuse with a reason': call('refuseString'),
    panic: call('panic', 5n),
    'invalid opcode': { ...call('invalid'), gas: 100_000n },
    'out of gas': { ...call('burn'), gas: 60_000n },
    'selfdestruct of a contract from before': { to: mortal, data: die },
    transfer: { to: heir, value: 5n },
    'failed creation': { data: '0x60006000fd' },
  }
}

/** Puts a transaction into its own block on both chains, with the same base fee. */
async function include(raw: Hex): Promise<unknown> {
  const hash = await preseal.request('eth_sendRawTransaction', [raw])
  await preseal.mine()
  const { baseFeePerGas } = await latest(preseal)
  await anvil.request('anvil_setNextBlockBaseFeePerGas', [baseFeePerGas])
  await anvil.request('eth_sendRawTransaction', [raw])
  await anvil.mine()
  return hash
}

async function latest(chain: EngineChain): Promise<{ readonly baseFeePerGas: Hex }> {
  return (await chain.request('eth_getBlockByNumber', ['latest', false])) as { baseFeePerGas: Hex }
}

function compare(
  of: Pick<Difference, 'transaction' | 'trace'>,
  path: readonly string[],
  ours: unknown,
  theirs: unknown,
): void {
  if (isObject(ours) && isObject(theirs)) {
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      // The blocks of the two chains have different timestamps.
      if (key !== 'blockHash') compare(of, [...path, key], ours[key], theirs[key])
    }
    return
  }
  compared += 1
  if (ours !== theirs) differences.push({ ...of, path: path.join('.'), preseal: ours, anvil: theirs })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function report(): void {
  const explained = new Map<string, Difference[]>()
  const unexplained: Difference[] = []
  for (const difference of differences) {
    const [why] = EXPLAINED.find(([, is]) => is(difference)) ?? []
    if (why === undefined) unexplained.push(difference)
    else explained.set(why, [...(explained.get(why) ?? []), difference])
  }
  console.log(`${compared} fields compared, ${differences.length} differ\n`)
  for (const [why, ones] of explained) {
    console.log(`${ones.length} × ${why}\n    ${show(ones[0]!)}`)
  }
  console.log(`\n${unexplained.length} without an explanation`)
  for (const one of unexplained) console.log(`    ${show(one)}`)
  if (unexplained.length > 0) process.exitCode = 1
}

function show({ transaction, trace, path, preseal: ours, anvil: theirs }: Difference): string {
  const short = (value: unknown) => String(JSON.stringify(value)).slice(0, 80)
  return `${transaction}, ${trace}, ${path}: preseal ${short(ours)}, anvil ${short(theirs)}`
}
