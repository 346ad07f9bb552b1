/** Chains in IndexedDB, in workers of a browser. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { cdp } from 'vitest/browser'
import { BytesDatabase, type Level } from '../../src/core/ledger/bytesDatabase.ts'
import {
  DatabaseInUseError,
  DatabaseOpenError,
  DatabaseStoppedError,
  DatabaseWriteError,
} from '../../src/core/ledger/errors.ts'
import { createChain } from '../../src/index.ts'
import { openBrowserDatabase } from '../../src/kits/worker/browserDatabase.ts'
import { createServedChain } from '../../src/kits/worker/exposeChain.ts'
import { connectChain, type RemoteChain } from '../../src/kits/worker/index.ts'
import { ask, sign } from '../rpc/scene.ts'

let names = 0

/** The name of a database that ends with the test. */
function temporaryName(): string {
  names += 1
  const name = `database ${names} of ${import.meta.url}`
  onTestFinished(async () => {
    // The name is free once all who have the database open have gone.
    await navigator.locks.request(`preseal database ${name}`, () => {})
    await request(indexedDB.deleteDatabase(name))
  })
  return name
}

/** Connects a page with a worker of its own; both end with the test. */
async function connect(database: string): Promise<{ worker: Worker; remote: RemoteChain }> {
  const worker = new Worker(new URL('../kits/worker/manual.worker.ts', import.meta.url), { type: 'module' })
  onTestFinished(() => worker.terminate())
  return { worker, remote: await connectChain(worker, { options: { database } }) }
}

function request<T>(pending: PendingRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    pending.onsuccess = () => resolve(pending.result)
    pending.onerror = () => reject(pending.error)
  })
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('no failure'),
    (error) => error,
  )
}

/** Sends a transfer of one wei to the second account, and seals it. @returns the hash of the block. */
async function payAndSeal({ remote }: { readonly remote: RemoteChain }, nonce: number): Promise<string> {
  const to = remote.accounts[1]!.address
  await ask(remote.live, 'eth_sendRawTransaction', [await sign(remote, 0, { nonce, to, value: 1n })])
  await remote.tick()
  return (await remote.seal()).block.hash
}

async function heldIn({ remote }: { readonly remote: RemoteChain }): Promise<unknown> {
  return {
    hashes: await Promise.all(
      ['0x1', '0x2'].map(async (number) => {
        const block = (await ask(remote.standard, 'eth_getBlockByNumber', [number, false])) as {
          readonly hash: string
        } | null
        return block?.hash
      }),
    ),
    received:
      BigInt(
        (await ask(remote.standard, 'eth_getBalance', [remote.accounts[1]!.address, 'latest'])) as string,
      ) -
      10n ** 22n,
  }
}

describe('a chain in IndexedDB', () => {
  it('is as it was before if a write exceeds the quota', async () => {
    const name = temporaryName()
    const setQuota = (quota: object) =>
      cdp().send('Storage.overrideQuotaForOrigin', { origin: location.origin, ...quota })
    onTestFinished(() => void setQuota({}))
    const { usage = 0 } = await navigator.storage.estimate()
    // Chromium reads the quota at the first access, and only every 30 seconds from then on: this is the first test of
    // the file that runs first, by slowFirst.ts.
    await setQuota({ quotaSize: usage + 500_000 })
    const page = await connect(name)
    const hash = await payAndSeal(page, 0)
    const data = `0x${'00'.repeat(120_000)}` as const
    for (let nonce = 1; nonce <= 8; nonce++) {
      const raw = await sign(page.remote, 0, {
        nonce,
        to: hash.slice(0, 42) as `0x${string}`,
        data,
        gas: 2_000_000n,
      })
      await ask(page.remote.live, 'eth_sendRawTransaction', [raw])
    }
    const error = await failureOf(page.remote.seal())
    expect(error).toBeInstanceOf(DatabaseWriteError)
    expect(error).toMatchObject({ code: -32000, cause: { name: 'QuotaExceededError' } })
    expect(await heldIn(page)).toEqual({ hashes: [hash, undefined], received: 1n })
    await setQuota({})
    const stopped = await failureOf(page.remote.seal())
    expect(stopped).toBeInstanceOf(DatabaseStoppedError)
    expect(stopped).toMatchObject({ code: -32000, cause: { name: 'QuotaExceededError' } })
    await page.remote.reopenDatabase()
    const { block } = await page.remote.seal()
    expect([block.number, block.transactions.length]).toEqual(['0x2', 8])
  })

  it.each([
    ['process', 'default'],
    ['disk', 'strict'],
  ] as const)('is written with the durability that the options ask for: %s', async (durability, expected) => {
    const begin = vi.spyOn(IDBDatabase.prototype, 'transaction')
    onTestFinished(() => begin.mockRestore())
    const { chain, close } = await createServedChain(
      (options) => createChain({ ...options, mining: 'manual' }),
      {
        database: temporaryName(),
        durability,
      },
    )
    await chain.seal()
    await chain.reopenDatabase()
    await chain.seal()
    await close()
    const begun = begin.mock.results.map(({ value }) => value as { mode: string; durability: string })
    const durabilities = begun.filter(({ mode }) => mode === 'readwrite').map((one) => one.durability)
    expect(durabilities.length).toBeGreaterThan(2)
    expect(new Set(durabilities)).toEqual(new Set([expected]))
  })

  it('is there for the next worker after its own was terminated, and continues', async () => {
    const name = temporaryName()
    const before = await connect(name)
    const first = await payAndSeal(before, 0)
    before.worker.terminate()
    const after = await connect(name)
    expect(await heldIn(after)).toEqual({ hashes: [first, undefined], received: 1n })
    const second = await payAndSeal(after, 1)
    expect(await heldIn(after)).toEqual({ hashes: [first, second], received: 2n })
    expect(await indexedDB.databases()).toContainEqual({ name, version: 1 })
  })

  it('is open once: a second worker is refused by its name, until the first one has closed', async () => {
    const name = temporaryName()
    const first = await connect(name)
    const error = await failureOf(connect(name))
    expect(error).toBeInstanceOf(DatabaseInUseError)
    expect(error.message).toBe(
      `the database ${name} is in use: expected one that no other process, page or instance has open`,
    )
    const hash = await payAndSeal(first, 0)
    await first.remote.close()
    const second = await connect(name)
    expect(await heldIn(second)).toEqual({ hashes: [hash, undefined], received: 1n })
  })

  it('is closed if its chain cannot be created', async () => {
    const name = temporaryName()
    const first = await connect(name)
    await first.remote.close()
    const worker = new Worker(new URL('../kits/worker/manual.worker.ts', import.meta.url), { type: 'module' })
    onTestFinished(() => worker.terminate())
    const other = { database: name, initialBaseFeePerGas: 8n }
    expect((await failureOf(connectChain(worker, { options: other }))).name).toBe('GenesisMismatchError')
    const again = await connectChain(worker, { options: { database: name } })
    expect(await ask(again.standard, 'eth_blockNumber')).toBe('0x0')
  })

  it('has a name that is a string and not empty', async () => {
    const worker = new Worker(new URL('../kits/worker/manual.worker.ts', import.meta.url), { type: 'module' })
    onTestFinished(() => worker.terminate())
    for (const database of ['', 1, null, { open: 'x' }] as never[]) {
      expect((await failureOf(connectChain(worker, { options: { database } }))).message).toBe(
        'invalid option database: expected the name of an IndexedDB database, a string that is not empty',
      )
    }
  })
})

describe('a database in IndexedDB', () => {
  it('returns the bytes that were written, under bytes and text', async () => {
    const { database, close } = await openBrowserDatabase(temporaryName())
    onTestFinished(close)
    const db = new BytesDatabase(database as unknown as Level)
    const key = Uint8Array.of(0, 1, 255)
    const entries = [
      { key, value: Uint8Array.of(2, 254) },
      { key: 'name', value: new Uint8Array() },
    ]
    await db.write(entries)
    for (const { key, value } of entries) expect(await db.get(key)).toEqual(value)
    expect(await db.get(key)).toBeInstanceOf(Uint8Array)
    await db.write([{ key: 'other', value: key }], [key])
    expect([await db.get(key), await db.get('other')]).toEqual([undefined, key])
  })

  it('writes nothing of a batch of which one entry is refused', async () => {
    const { database, close } = await openBrowserDatabase(temporaryName())
    onTestFinished(close)
    const db = new BytesDatabase(database as unknown as Level)
    await db.write([{ key: 'kept', value: Uint8Array.of(1) }])
    const detached = new Uint8Array(1)
    structuredClone(detached, { transfer: [detached.buffer] })
    const batch = [
      { key: 'kept', value: Uint8Array.of(3) },
      { key: 'refused', value: detached },
    ]
    await expect(db.write(batch)).rejects.toMatchObject({ cause: { name: 'DataCloneError' } })
    expect([await db.get('kept'), await db.get('refused')]).toEqual([Uint8Array.of(1), undefined])
  })

  it('is refused if another program has one of its name', async () => {
    const name = temporaryName()
    const opening = indexedDB.open(name, 2)
    const other = await request(opening)
    other.close()
    const newer = await failureOf(openBrowserDatabase(name))
    expect(newer).toBeInstanceOf(DatabaseOpenError)
    expect(newer).toMatchObject({ cause: { name: 'VersionError' } })
    await request(indexedDB.deleteDatabase(name))
    const same = await request(indexedDB.open(name, 1))
    same.close()
    const foreign = await failureOf(openBrowserDatabase(name))
    expect(foreign).toBeInstanceOf(DatabaseOpenError)
    expect(foreign.message).toBe(
      `the database cannot be opened: the IndexedDB database ${name} belongs to a different program: expected a free name`,
    )
  })

  it.each([
    [
      'Web Locks',
      'a page or worker with an origin, served over HTTPS or from localhost',
      () => vi.stubGlobal('navigator', {}),
    ],
    ['IndexedDB', 'a browser', () => vi.stubGlobal('indexedDB', undefined)],
  ])('is refused without %s', async (feature, place, remove) => {
    onTestFinished(() => void vi.unstubAllGlobals())
    remove()
    const error = await failureOf(openBrowserDatabase('never opened'))
    expect(error).toBeInstanceOf(DatabaseOpenError)
    expect(error.message).toBe(
      `the database cannot be opened: ${feature} is not available here: expected ${place}`,
    )
  })
})

/** The browser's types that the tests use; the checkout is compiled for Node. */
interface PendingRequest<T> {
  readonly result: T
  readonly error: Error | null
  onsuccess: (() => void) | null
  onerror: (() => void) | null
}

declare const IDBDatabase: { readonly prototype: { transaction(...args: unknown[]): unknown } }
declare const indexedDB: {
  open(name: string, version: number): PendingRequest<{ close(): void }>
  deleteDatabase(name: string): PendingRequest<unknown>
  databases(): Promise<readonly object[]>
}
declare const location: { readonly origin: string }
declare const navigator: {
  readonly locks: { request(name: string, callback: () => void): Promise<void> }
  readonly storage: { estimate(): Promise<{ readonly usage?: number }> }
}
