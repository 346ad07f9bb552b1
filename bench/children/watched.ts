/** Measures transfers and calls on one chain, which is of one of the kinds of `watched.ts`. */
import { readFileSync } from 'node:fs'
import { BLOCK_GAS_LIMIT, CHAIN_ID } from '../engines/engine.ts'
import { loadCoverage, loadGas, loadPreseal } from '../load.ts'
import { meanOf, meanOfCalls } from '../measure.ts'
import { awaitTurn } from '../turns.ts'
import type { Kind } from '../watched.ts'
import type { Workload } from '../workload.ts'

const WARM_UP = 200
const TRANSFERS = 1_000
/** Creation code that reverts. */
const REVERTS = '0x60006000fd'

await awaitTurn()
const [, , kind, file] = process.argv as unknown as readonly [string, string, Kind, string]
const { accounts, token } = JSON.parse(readFileSync(file, 'utf8')) as Workload
const { createChain } = await loadPreseal()

const create = (options: object = {}) =>
  createChain({
    mining: 'auto',
    chainId: CHAIN_ID,
    gasLimit: BLOCK_GAS_LIMIT,
    accounts: { mnemonic: accounts.mnemonic, count: accounts.addresses.length },
    ...options,
  })

if (kind === 'beside') {
  const [{ createGasRecorder }, { startCoverage, stopCoverage }] = [await loadGas(), await loadCoverage()]
  const other = await create({ stackTraces: [] })
  createGasRecorder().watch(other)
  startCoverage()
  const failing = { from: accounts.addresses[0], data: REVERTS }
  await other.standard.request({ method: 'eth_call', params: [failing] } as never).catch(() => {})
  for (const raw of token.setup)
    await other.standard.request({ method: 'eth_sendRawTransaction', params: [raw] })
  stopCoverage()
}
const chain = await create(kind === 'stackTraces' ? { stackTraces: [] } : {})
if (kind === 'gas') (await loadGas()).createGasRecorder().watch(chain)
if (kind === 'coverage') (await loadCoverage()).startCoverage()

const send = async (raw: Workload['transfers'][number] | undefined): Promise<void> => {
  const hash = await chain.standard.request({ method: 'eth_sendRawTransaction', params: [raw!] })
  const receipt = await chain.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  if (receipt?.status !== '0x1') throw new Error(`the receipt of ${hash} is ${JSON.stringify(receipt)}`)
}
for (const raw of token.setup) await send(raw)
await meanOfCalls(WARM_UP, (turn) => send(token.transfers[turn]))
const transfer = await meanOfCalls(TRANSFERS, (turn) => send(token.transfers[WARM_UP + turn]))
const data = token.balanceOf[0]!
const call = await meanOf(() =>
  chain.standard.request({ method: 'eth_call', params: [{ to: token.address, data }, 'latest'] }),
)
process.send?.([transfer, call], () => process.exit())
