/** Databases that a page names, if they are refused; `test/database/database.browser.test.ts` has those that are opened. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createChain, InvalidOptionError } from '../../../src/index.ts'
import { DatabaseOpenError } from '../../../src/kits/errors/index.ts'
import { connectChain, exposeChain } from '../../../src/kits/worker/index.ts'

/** The error of a page that connects with this database. */
async function refusal(database: string): Promise<Error> {
  const { port1, port2 } = new MessageChannel()
  const stop = exposeChain(createChain, port2)
  try {
    return await connectChain(port1, { options: { database } }).then(
      () => expect.fail('connected'),
      (error) => error,
    )
  } finally {
    stop()
    port1.close()
  }
}

describe('a database that a page names', () => {
  it('is refused without IndexedDB, as in Node', async () => {
    vi.stubGlobal('indexedDB', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    const error = await refusal('chain')
    expect(error).toBeInstanceOf(DatabaseOpenError)
    expect(error.message).toBe(
      'the database cannot be opened: IndexedDB is not available here: expected a browser',
    )
  })

  it('is refused without a name', async () => {
    const expected = 'the name of an IndexedDB database, a string that is not empty'
    expect(await refusal('')).toEqual(new InvalidOptionError('database', expected))
  })

  it('is no option of createChain itself', async () => {
    const creation = createChain({ database: 'chain' as never })
    await expect(creation).rejects.toThrow(
      /^invalid option database: expected an abstract-level database, .*; a name is for preseal\/worker only$/,
    )
  })
})
