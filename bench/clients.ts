/**
 * How long clients wait for a receipt, on the system clock: `npx tsx bench/clients.ts`, from the repository root after a
 * build. All run at once on one chain, each with its own account.
 */
import { createChain } from 'preseal'
import { chainTransport, preseal, waitForPreconfirmation } from 'preseal/viem'
import { createClient, custom, publicActions, type Transport, walletActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { quantile } from './measure.ts'
import { alignColumns, formatValue } from './table.ts'

const ROUNDS = 20
/** Milliseconds from one send to the next; no divisor of the intervals, so that sends fall on all their phases. */
const PAUSE = 137

const chain = await createChain()
const to = chain.accounts.at(-1)!.address
const fast = { defaultBlock: 'pending', pendingNonce: 'pool' } as const

const viem = (index: number, transport: Transport, definition: typeof foundry | typeof preseal = preseal) =>
  createClient({
    account: privateKeyToAccount(chain.accounts[index]!.privateKey),
    chain: definition as typeof preseal,
    transport,
  })
    .extend(publicActions)
    .extend(walletActions)
type Client = ReturnType<typeof viem>

const stock = async (client: Client) => {
  await client.waitForTransactionReceipt({ hash: await client.sendTransaction({ to, value: 1n }) })
}
const sync = async (client: Client) => {
  await client.sendTransactionSync({ to, value: 1n })
}
const pushed = async (client: Client) => {
  await waitForPreconfirmation(client, { hash: await client.sendTransaction({ to, value: 1n }) })
}

const rows: readonly [string, () => Promise<void>][] = [
  [
    'custom(chain.standard): waitForTransactionReceipt',
    bind(stock, viem(0, custom(chain.standard), foundry)),
  ],
  ['custom(chain.preconf): waitForTransactionReceipt', bind(stock, viem(1, custom(chain.preconf), foundry))],
  [
    'the same with experimental_preconfirmationTime',
    bind(stock, viem(2, custom(chain.provider('preconf', fast)))),
  ],
  ['chainTransport(chain): waitForTransactionReceipt', bind(stock, viem(3, chainTransport(chain)))],
  [
    'custom(chain.preconf): sendTransactionSync',
    bind(sync, viem(4, custom(chain.provider('preconf', fast)))),
  ],
  ['chainTransport(chain): sendTransactionSync', bind(sync, viem(5, chainTransport(chain)))],
  ['chainTransport(chain): waitForPreconfirmation', bind(pushed, viem(6, chainTransport(chain)))],
]

function bind(send: (client: Client) => Promise<void>, client: Client): () => Promise<void> {
  return () => send(client)
}

const measured = await Promise.all(
  rows.map(async ([label, send]) => {
    const times: number[] = []
    // The first signature loads the code that signs.
    await send()
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now()
      await send()
      times.push(performance.now() - start)
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
    }
    return [label, ...[0.5, 0.95].map((fraction) => formatValue(quantile(times, fraction)))]
  }),
)
await chain.close()

console.log(
  `from sending to the receipt, ms; ${ROUNDS} times each, a block every 2000 ms, a preconf block every 200 ms\n`,
)
console.log(alignColumns([['', 'p50', 'p95'], ...measured]))
