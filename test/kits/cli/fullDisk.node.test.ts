/** A database on a disk that becomes full and is emptied again: what was acknowledged since is there at the next start. */
import { once } from 'node:events'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { describe, expect, it } from 'vitest'
import { DatabaseStoppedError, DatabaseWriteError } from '../../../src/core/ledger/errors.ts'
import { createChain, createManualClock, type PresealChain } from '../../../src/index.ts'
import { runDatabaseCommand } from '../../../src/kits/cli/database/command.ts'
import { send } from '../../core/sequencer/support.ts'
import { smallDisk } from '../../tools/smallDisk.ts'
import { bundleCommandLine } from './startProgram.ts'

const startProgram = bundleCommandLine()

async function open(database: string) {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(database)
  const chain = await createChain({
    mining: 'manual',
    clock: createManualClock(1_700_000_000_000),
    database: level as never,
  })
  const close = async (): Promise<void> => {
    await chain.close()
    await level.close()
  }
  return { chain, close }
}

/** Sends and seals until one of them fails. @returns the error, and how many blocks were sealed. */
async function sealUntilError(chain: PresealChain, nonce: number): Promise<unknown> {
  for (let at = nonce; ; at++) {
    try {
      await send(chain, { nonce: at })
      await chain.seal()
    } catch (error) {
      return error
    }
  }
}

const headOf = ({ standard }: PresealChain) =>
  standard.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })

describe('a chain whose disk is full', () => {
  it('refuses all writes after one has failed, and loses nothing after reopenDatabase', async (context) => {
    const disk = await smallDisk(context)
    const database = join(disk.folder, 'chain')
    const { chain, close } = await open(database)
    for (let nonce = 0; nonce < 5; nonce++) {
      await send(chain, { nonce })
      await chain.seal()
    }
    await disk.fill()
    const error = await sealUntilError(chain, 5)
    expect(error).toBeInstanceOf(DatabaseWriteError)
    await disk.empty()
    const stopped = new DatabaseStoppedError((error as { cause: Error }).cause)
    const head = await headOf(chain)
    await expect(send(chain, { from: 1, nonce: 0 })).rejects.toMatchObject({
      code: -32000,
      message: stopped.message,
    })
    await expect(chain.seal()).rejects.toThrow(stopped)
    expect(await headOf(chain)).toEqual(head)

    await chain.reopenDatabase()
    for (let nonce = 0; nonce < 20; nonce++) {
      await send(chain, { from: 2, nonce })
      await chain.seal()
    }
    const last = await headOf(chain)
    await close()
    const again = await open(database)
    expect(await headOf(again.chain)).toEqual(last)
    await again.close()
    const printed: string[] = []
    const code = await runDatabaseCommand(['verify', database], {
      out: (text) => printed.push(text),
      err: (text) => printed.push(text),
    })
    expect({ code, printed: printed.join('') }).toMatchObject({
      code: 0,
      printed: expect.stringContaining('the database is sound'),
    })
  })

  it('is opened again by the command line, which goes on', async (context) => {
    const disk = await smallDisk(context)
    const database = join(disk.folder, 'chain')
    const { child, client } = await startProgram(database)
    const [from] = await client.getAddresses()
    const sendOne = () => client.sendTransaction({ account: from!, to: from!, value: 1n })
    for (let count = 0; count < 5; count++) await sendOne()
    await disk.fill()
    let failure: unknown
    while (failure === undefined) await sendOne().catch((error: unknown) => (failure = error))
    // In auto mining a send has several writes.
    expect(String(failure)).toMatch(
      /the database (cannot be written|accepts no write until it is opened again): .*No space left on device/,
    )
    await disk.empty()
    const hashes = []
    for (let count = 0; count < 20; count++) hashes.push(await sendOne())
    const number = await client.getBlockNumber()
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
    const again = await startProgram(database)
    expect(await again.client.getBlockNumber()).toBe(number)
    const receipts = await Promise.all(
      hashes.map((hash) => again.client.getTransactionReceipt({ hash: hash as `0x${string}` })),
    )
    expect(receipts.map(({ status }) => status)).toEqual(hashes.map(() => 'success'))
  })
})
