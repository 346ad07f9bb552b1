/** What the start of a fork asks for if its cache is new. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { ForkCacheLocation } from '../../../src/base/options/forkOptions.ts'
import type { Hash } from '../../../src/base/types.ts'
import { isNewCache } from '../../../src/core/fork/cache.ts'
import { SETTLED_DEPTH } from '../../../src/core/fork/stateReads.ts'
import { createChain, createManualClock } from '../../../src/index.ts'
import { ask } from '../../rpc/scene.ts'
import { ALICE } from '../../signing.ts'
import { memoryLevel } from '../ledger/failingDatabase.ts'
import { between, forkOf } from './remoteChain.ts'
import { createFolder } from './scriptedNode.ts'
import { recordedText } from './support.ts'

it('is known to be new without being opened, unless it is a database', async () => {
  const folder = await createFolder()
  const file = join(folder, 'fork.jsonl')
  const places: [string, ForkCacheLocation][] = [
    ['no folder', join(folder, 'new')],
    ['no file', file],
    ['no place', join(folder, 'new', 'fork.jsonl')],
    ['a folder', folder],
    ['a text', { text: '' }],
    ['lines', { text: '[]\n' }],
    ['a database', memoryLevel()],
  ]
  const areNew = () => Object.fromEntries(places.map(([name, place]) => [name, isNewCache(place)]))
  const others = { 'no folder': true, 'no place': true, 'a text': true, lines: false, 'a database': false }
  expect(areNew()).toEqual({ ...others, 'a folder': true, 'no file': true })
  await writeFile(file, '')
  expect(areNew()).toEqual({ ...others, 'a folder': false, 'no file': true })
  await writeFile(file, '[]\n')
  expect(areNew()).toEqual({ ...others, 'a folder': false, 'no file': false })
  expect(isNewCache(join(file, 'below'))).toBe(false)
})

it('gets the same lines as one that is asked for by hash, and is all that the next start needs', async () => {
  const remote = await createChain({ mining: 'manual', clock: createManualClock() })
  onTestFinished(() => remote.close())
  await remote.mine(1)
  const { hash } = (await ask(remote.standard, 'eth_getBlockByNumber', ['latest', false])) as { hash: Hash }
  await ask(remote.standard, 'hardhat_mine', [Number(SETTLED_DEPTH)])
  /** Starts a fork with a cache, and says what it asked. */
  const start = async (cache: ForkCacheLocation, offline = false) => {
    const node = between(remote.preconf)
    const chain = await forkOf(node, { fork: { block: 1, cache, offline, concurrency: 1000 } })
    const nonce = await ask(chain.standard, 'eth_getTransactionCount', [ALICE, 'latest'])
    await chain.close()
    return { nonce, trips: node.trips(), requests: node.asked.length }
  }
  const linesOf = async (cache: ForkCacheLocation) => (await recordedText(cache, hash)).split('\n').sort()

  const [folder, database] = [await createFolder(), memoryLevel()]
  const [early, late] = [await start(folder), await start(database)]
  expect([early.trips, late.trips]).toEqual([1, 2])
  expect(await linesOf(folder)).toEqual(await linesOf(database))
  for (const cache of [folder, database]) {
    expect(await start(cache)).toEqual({ nonce: early.nonce, trips: 1, requests: 3 })
    expect(await start(cache, true)).toEqual({ nonce: early.nonce, trips: 0, requests: 0 })
  }
})
