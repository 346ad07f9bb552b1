/** A node that the package forks, and what the story of forks gives of it. */
import { vi } from 'vitest'
import type { Project } from './project.ts'
import type { ForkResult } from './stories/fork.ts'

/** A chain with a contract and a transaction to it. */
export interface ForkedNode {
  readonly url: string
  /** The contract, which adds its input to slot 0, and logs. */
  readonly counter: string
  /** The transaction, which has added 7. */
  readonly sent: string
  /** The result of the story on a fork of its latest block. */
  readonly expected: ForkResult
}

/** Deploys `SSTORE(0, SLOAD(0) + CALLDATALOAD(0)); LOG0`. */
const DEPLOY = '0x600b8060095f395ff35f545f35015f555f5fa000'

/** Sends a JSON-RPC request. @throws if the answer is an error. */
export async function request(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { readonly result: unknown; readonly error?: unknown }
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

/** Sends the transactions to a node that seals each at once. */
export async function prepare(url: string): Promise<ForkedNode> {
  const [, from] = (await request(url, 'eth_accounts')) as string[]
  const receiptOf = async (transaction: object) => {
    const sent = await request(url, 'eth_sendTransaction', { from, ...transaction })
    // anvil answers a send before it seals the block.
    return vi.waitFor(
      async () => {
        const receipt = await request(url, 'eth_getTransactionReceipt', sent)
        if (receipt === null) throw new Error('the transaction is in no block yet')
        return receipt as Readonly<Record<string, string>>
      },
      { interval: 10, timeout: 10_000 },
    )
  }
  const { contractAddress: counter } = await receiptOf({ data: DEPLOY })
  const receipt = await receiptOf({ to: counter, data: `0x${'7'.padStart(64, '0')}` })
  await request(url, 'anvil_mine', '0x2')
  const { hash } = (await request(url, 'eth_getBlockByNumber', 'latest', false)) as { readonly hash: string }
  return {
    url,
    counter: counter!,
    sent: receipt['transactionHash']!,
    expected: {
      forked: ['0x4', hash],
      receipt,
      values: [7, 7, 12],
      preconfirmed: ['0x1', '0x5', 1],
      sealed: ['0x1', '0x5', 1],
    },
  }
}

/** A program that prints the result of the story, whose arguments are JSON. */
export const FORK_MAIN = `
import { forkStory } from './fork.js'
console.log(JSON.stringify(await forkStory(...JSON.parse(process.argv[2]))))
`

/** Runs {@link FORK_MAIN} in a project. @param fork - the options of the fork. */
export async function runStory(
  project: Project,
  { sent, counter }: ForkedNode,
  fork: Readonly<Record<string, unknown>>,
): Promise<ForkResult> {
  const { stdout, stderr } = await project.run(process.execPath, [
    'main.js',
    JSON.stringify([fork, sent, counter]),
  ])
  if (stderr !== '') throw new Error(stderr)
  return JSON.parse(stdout) as ForkResult
}
