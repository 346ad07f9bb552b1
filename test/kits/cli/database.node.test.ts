/** `--database` as processes: restarts, kills, and two processes on one folder. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Address, Hash } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_MNEMONIC } from '../../../src/base/options/accountOptions.ts'
import { FULL } from '../../full.ts'
import { bundleCommandLine } from './startProgram.ts'

const startProgram = bundleCommandLine()

const ACCOUNTS = Array.from(
  { length: 6 },
  (_, addressIndex) => mnemonicToAccount(DEFAULT_MNEMONIC, { addressIndex }).address,
)
const [, to] = ACCOUNTS as [Address, Address]
/** Each starts a folder of its own, since the chain of a folder is replayed in every round. */
const RUNS = Array.from({ length: FULL ? 8 : 1 }, (_, run) => run + 1)
const ROUNDS = FULL ? 10 : 2

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'preseal-database-'))
  return () => rm(folder, { recursive: true })
})

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const closed = once(child, 'close')
  child.kill(signal)
  await closed
}

describe('preseal --database', () => {
  it('resumes the chain of the folder', async () => {
    const first = await startProgram(folder)
    const hash = await first.client.sendTransaction({ to, value: 1n })
    const receipt = await first.client.getTransactionReceipt({ hash })
    await end(first.child, 'SIGTERM')
    const { client } = await startProgram(folder)
    expect(await client.getTransactionReceipt({ hash })).toEqual(receipt)
    expect(await client.getBlockNumber()).toBe(1n)
  })

  it.each(RUNS)('has every block that was announced before the process was killed, run %i', async () => {
    const sealed: Hash[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const { child, client } = await startProgram(folder)
      const receipts = await Promise.all(sealed.map((hash) => client.getTransactionReceipt({ hash })))
      expect(receipts.map(({ status }) => status)).toEqual(sealed.map(() => 'success'))
      const kill = 1 + (round % 4)
      let acknowledged = 0
      const closed = once(child, 'close')
      const sends = ACCOUNTS.map(async (from) => {
        // In auto mining it is answered once it is sealed.
        sealed.push(
          await client.request({ method: 'eth_sendTransaction', params: [{ from, to: from, value: '0x1' }] }),
        )
        acknowledged += 1
        if (acknowledged === kill) child.kill('SIGKILL')
      })
      await Promise.allSettled(sends)
      await closed
    }
  })

  it.each(FULL ? RUNS : [])(
    'has every send that was answered, and the order of pre-confirmations, run %i',
    async () => {
      // No block is sealed meanwhile.
      const mining = ['--block-time', '3600000', '--preconf-interval', '10']
      const sent: Hash[] = []
      /** What was last seen to be pre-confirmed. */
      let shown: readonly Hash[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const { child, preconf } = await startProgram(folder, mining)
        const pending = async () => (await preconf.getBlock({ blockTag: 'pending' })).transactions
        expect((await pending()).slice(0, shown.length)).toEqual(shown)
        const stages = await Promise.all(
          sent.map((hash) =>
            preconf.request({ method: 'chain_transactionStatus' as never, params: [hash] as never }),
          ),
        )
        for (const stage of stages) expect(stage).toMatchObject({ status: 'Known' })
        const kill = 1 + (round % ACCOUNTS.length)
        let acknowledged = 0
        const closed = once(child, 'close')
        const sends = ACCOUNTS.map(async (from) => {
          const transaction = { from, to: from, value: '0x1' } as const
          sent.push(await preconf.request({ method: 'eth_sendTransaction', params: [transaction] }))
          shown = await pending()
          acknowledged += 1
          if (acknowledged === kill) child.kill('SIGKILL')
        })
        await Promise.allSettled(sends)
        await closed
      }
    },
  )

  it('refuses a folder that another process has open, and one that is none', async () => {
    await startProgram(folder)
    await expect(startProgram(folder)).rejects.toThrow(
      `preseal: the database ${folder} is in use: expected one that no other process, page or instance has open\n`,
    )
    const file = join(folder, 'file')
    await writeFile(file, '')
    await expect(startProgram(file)).rejects.toThrow(
      `preseal: the database cannot be opened: EEXIST: file already exists, mkdir '${file}'\n`,
    )
  })
})
