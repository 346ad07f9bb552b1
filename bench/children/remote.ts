/** A node that other chains fork: every answer takes some milliseconds. Prints its port and the number of its head. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadPreseal } from '../load.ts'

export interface RemoteInput {
  readonly mnemonic: string
  readonly count: number
  /** Transactions, sealed in one block each. */
  readonly setup: readonly string[]
  /** Empty blocks after them. */
  readonly blocks: number
  readonly latencyMs: number
}

/** How the node is reached, and what its chain has. */
export interface RemoteResult {
  readonly url: string
  readonly head: number
}

interface Request {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

const input = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as RemoteInput
const { createChain } = await loadPreseal()
const { mnemonic, count } = input
const chain = await createChain({ mining: 'manual', accounts: { mnemonic, count } })
for (const raw of input.setup) {
  const hash = await chain.standard.request({
    method: 'eth_sendRawTransaction',
    params: [raw as `0x${string}`],
  })
  await chain.seal()
  const receipt = await chain.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  if (receipt?.status !== '0x1') throw new Error(`the receipt of ${hash} is ${JSON.stringify(receipt)}`)
}
await chain.standard.request({ method: 'hardhat_mine', params: [input.blocks] })

async function answer({ id, method, params }: Request): Promise<object> {
  try {
    const result = await chain.standard.request({ method, ...(params && { params }) })
    return { jsonrpc: '2.0', id, result }
  } catch (error) {
    const { code, message } = error as { code: number; message: string }
    return { jsonrpc: '2.0', id, error: { code, message } }
  }
}

const server = createServer(async (request, response) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const body = JSON.parse(Buffer.concat(parts).toString()) as Request | Request[]
  await new Promise((resolve) => setTimeout(resolve, input.latencyMs))
  const answers = Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(answers))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
const head = Number(await chain.standard.request({ method: 'eth_blockNumber' }))
process.send?.({ url: `http://127.0.0.1:${port}`, head } satisfies RemoteResult)
process.once('disconnect', () => process.exit())
