/** A fork that asks a node once, and reads its answers from a file later. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createChain } from 'preseal'
import { parseEther } from 'viem'

const folder = await mkdtemp(join(tmpdir(), 'preseal-'))
const cache = join(folder, 'fork.jsonl')
const holder = `0x${'99'.repeat(20)}` as const

// In place of a live chain.
const live = await createChain({ mining: 'auto' })
await live.setBalance(holder, parseEther('5'))
const block = 0
const node = { provider: live.standard }

// #region offline
const options = { mining: 'auto', accounts: { count: 0 } } as const
const read = {
  method: 'eth_getBalance',
  params: [holder, 'latest'],
} as const

// Once, with a node, such as { url: 'https://…' } and block 21_000_000.
const recording = await createChain({
  ...options,
  fork: { ...node, block, cache },
})
await recording.live.request(read)
await recording.close()

// From then on, without it.
const chain = await createChain({
  ...options,
  fork: { offline: true, block, cache },
})
const balance = BigInt(await chain.live.request(read))
console.log(balance === parseEther('5')) // => true

const other = {
  method: 'eth_getBalance',
  params: [`0x${'77'.repeat(20)}`, 'latest'],
} as const
await chain.live.request(other).catch(({ name }) => console.log(name))
// => NotInForkCacheError
// #endregion offline
await chain.close()
await live.close()
await rm(folder, { recursive: true })
