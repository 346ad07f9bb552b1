/** `preseal db` on folders: sound ones, damaged ones, and what is no database. */
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { PresealError } from '../../../src/base/errors.ts'
import { KIND, numberedKey } from '../../../src/core/ledger/format/records.ts'
import { createChain, createManualClock, type PresealChain } from '../../../src/index.ts'
import { runDatabaseCommand } from '../../../src/kits/cli/database/command.ts'
import { openDatabase } from '../../../src/kits/cli/files.ts'
import { send } from '../../core/sequencer/support.ts'
import { smallDisk } from '../../tools/smallDisk.ts'

const BYTES = { keyEncoding: 'view', valueEncoding: 'view' } as const

/** Runs the command. */
async function run(...argv: string[]) {
  const texts = { out: '', err: '' }
  const code = await runDatabaseCommand(argv, {
    out(text) {
      texts.out += text
    },
    err(text) {
      texts.err += text
    },
  })
  return { code, ...texts }
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'preseal-db-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Opens a chain on a folder, and calls `use` with it. */
async function withChain<Value>(
  folder: string,
  use: (chain: PresealChain) => Promise<Value>,
): Promise<Value> {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(folder, BYTES)
  try {
    const clock = createManualClock(1_700_000_000_000)
    const chain = await createChain({ mining: 'manual', clock, database: level as never })
    try {
      return await use(chain)
    } finally {
      await chain.close()
    }
  } finally {
    await level.close()
  }
}

/** A folder with a chain of three blocks, a waiting transaction and a pre-confirmed one. */
async function filledFolder() {
  const folder = await emptyFolder()
  const hash = await withChain(folder, async (chain) => {
    for (let nonce = 0; nonce < 3; nonce++) {
      await send(chain, { nonce })
      await chain.seal()
    }
    await send(chain, { nonce: 3 })
    await chain.tick()
    await send(chain, { nonce: 5 })
    const block = await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
    return block!.hash!
  })
  return { folder, hash }
}

/** Changes entries of a folder. */
async function tamper(
  folder: string,
  change: (level: ClassicLevel<Uint8Array, Uint8Array>) => Promise<void>,
) {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(folder, BYTES)
  await change(level)
  await level.close()
}

async function entriesOf(folder: string): Promise<unknown> {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(folder, BYTES)
  const entries = await level.iterator().all()
  await level.close()
  return entries
}

describe('preseal db', () => {
  it('prints what a database holds, as text and as JSON', async () => {
    const { folder, hash } = await filledFolder()
    const { code, out } = await run('info', folder, '--json')
    const info = JSON.parse(out)
    expect({ code, info }).toMatchObject({
      code: 0,
      info: {
        format: 1,
        chainId: 31337,
        head: { number: 3, hash },
        oldestInHistory: 0,
        blocks: 4,
        waiting: 1,
        preconfirmed: 1,
        damaged: 0,
      },
    })
    expect(info.accounts).toBeGreaterThan(10)
    expect(info.size).toBeGreaterThan(1000)
    const text = await run('info', folder)
    expect(text.out).toContain(`head                        3 ${hash}\n`)
    expect(text.code).toBe(0)
  })

  it('finds a sound database sound, and repairs nothing in it', async () => {
    const { folder } = await filledFolder()
    const before = await entriesOf(folder)
    const sound = { code: 0, out: '4 blocks checked, 3 executed again\nthe database is sound\n', err: '' }
    expect(await run('verify', folder)).toEqual(sound)
    expect(await run('repair', folder)).toEqual(sound)
    expect(await entriesOf(folder)).toEqual(before)
  })

  it('reports lost receipts with block and key, and derives them', async () => {
    const { folder } = await filledFolder()
    const before = await entriesOf(folder)
    await tamper(folder, (level) => level.del(numberedKey(KIND.receipts, 2)))
    const key = '0x070000000000000002'
    expect(await run('verify', folder)).toEqual({
      code: 1,
      out: `the receipts of block 2 are missing (block 2, key ${key})\n4 blocks checked, 3 executed again\n1 problems\n`,
      err: '',
    })
    expect(await run('repair', folder)).toEqual({
      code: 0,
      out: `the receipts of block 2 are missing (block 2, key ${key})\nwrote the receipts of block 2 again\n4 blocks checked, 3 executed again\nthe database is sound\n`,
      err: '',
    })
    expect(await entriesOf(folder)).toEqual(before)
  })

  it('refuses what is no database, a newer one, and one that is open; and leaves them as they are', async () => {
    const empty = await emptyFolder()
    const absent = join(empty, 'absent')
    expect(await run('verify', absent)).toEqual({
      code: 2,
      out: '',
      err: `preseal: ${absent} is no folder of a database: it does not exist\n`,
    })
    expect(await run('repair', empty)).toEqual({
      code: 2,
      out: '',
      err: `preseal: ${empty} is no folder of a database: it has no file of one\n`,
    })
    expect(await readdir(empty)).toEqual([])
    const { folder } = await filledFolder()
    await withChain(folder, async () => {
      expect(await run('repair', folder)).toEqual({
        code: 2,
        out: '',
        err: `preseal: the database ${folder} is in use: expected one that no other process, page or instance has open\n`,
      })
    })
    await tamper(folder, (level) =>
      level.put(new TextEncoder().encode('preseal:format'), Uint8Array.of(2, 1), BYTES),
    )
    const before = await entriesOf(folder)
    for (const action of ['info', 'verify', 'repair']) {
      expect(await run(action, folder)).toEqual({
        code: 2,
        out: '',
        err: 'preseal: the database has format 2: expected at most 1, the newest this version can read\n',
      })
    }
    await expect(withChain(folder, async () => {})).rejects.toThrow('the database has format 2')
    expect(await entriesOf(folder)).toEqual(before)
    expect(await run('verify')).toMatchObject({ code: 2 })
  })
})

/** Each file of a folder, with its content. */
async function filesIn(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const name of await readdir(folder))
    files[name] = (await readFile(join(folder, name))).toString('base64')
  return files
}

describe('preseal db info and verify', () => {
  it('leave the files of a folder as they are', async () => {
    const { folder } = await filledFolder()
    const before = await filesIn(folder)
    expect(await run('verify', folder)).toMatchObject({ code: 0 })
    expect(await run('info', folder)).toMatchObject({ code: 0 })
    expect(await filesIn(folder)).toEqual(before)
  })

  it('read the database of a folder whose file CURRENT is lost, which a start refuses and a repair rebuilds', async () => {
    const { folder, hash } = await filledFolder()
    await rm(join(folder, 'CURRENT'))
    const before = await filesIn(folder)
    const err = 'preseal: the file CURRENT of the database is missing; preseal db repair rebuilds it\n'
    expect(await run('verify', folder)).toEqual({
      code: 1,
      out: '4 blocks checked, 3 executed again\nthe database is sound\n',
      err,
    })
    const { code, out } = await run('info', folder, '--json')
    expect({ code, head: JSON.parse(out).head }).toEqual({ code: 1, head: { number: 3, hash } })
    await expect(openDatabase(folder)).rejects.toThrow(
      `${folder} has files of a database, but not its file CURRENT; preseal db repair ${folder} rebuilds it`,
    )
    expect(await filesIn(folder)).toEqual(before)
    expect(await run('repair', folder)).toMatchObject({ code: 0 })
    const head = await withChain(folder, ({ standard }) =>
      standard.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }),
    )
    expect(head!.hash).toBe(hash)
  })

  it('name a damaged table, whose blocks LevelDB does not check', async () => {
    const { folder } = await filledFolder()
    await tamper(folder, (level) =>
      level.compactRange(new Uint8Array(1) as never, Uint8Array.of(255) as never),
    )
    expect(await run('verify', folder)).toMatchObject({ code: 0, err: '' })
    const name = (await readdir(folder)).find((one) => one.endsWith('.ldb'))!
    const bytes = await readFile(join(folder, name))
    // In the table's first block.
    bytes[100]! ^= 1
    await writeFile(join(folder, name), bytes)
    const before = await filesIn(folder)
    const err = `preseal: the file ${name} of the database is damaged\n`
    expect(await run('verify', folder)).toMatchObject({ code: 1, err })
    expect(await run('info', folder)).toMatchObject({ code: 1, err })
    expect(await filesIn(folder)).toEqual(before)
  })

  it('say that there is no room for a copy', async (context) => {
    const { folder } = await filledFolder()
    const disk = await smallDisk(context)
    await disk.fill()
    const { size } = JSON.parse((await run('info', folder, '--json')).out)
    vi.stubEnv('TMPDIR', disk.folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await run('verify', folder)).toEqual({
      code: 2,
      out: '',
      err: `preseal: ${disk.folder} has no room for a copy of the database, ${size} bytes; set TMPDIR to a folder that has\n`,
    })
    expect(await readdir(disk.folder)).toEqual(['ballast'])
  })
})

describe('a folder with a damaged file', () => {
  it('gives a named error or an earlier chain, never another answer; and a repair leaves it sound', async () => {
    const { folder } = await filledFolder()
    const hashes = await withChain(folder, async ({ standard }) =>
      Promise.all(
        ['0x0', '0x1', '0x2', '0x3'].map(async (number) => {
          const block = await standard.request({
            method: 'eth_getBlockByNumber',
            params: [number as never, false],
          })
          return block!.hash
        }),
      ),
    )
    const isData = (name: string) => /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|log))$/.test(name)
    const results: string[] = []
    for (const name of (await readdir(folder)).filter(isData)) {
      const { length } = await readFile(join(folder, name))
      for (const kept of [0, Math.floor(length / 2), Math.max(0, length - 3)]) {
        for (const isFlipped of [false, true]) {
          const copy = await emptyFolder()
          await cp(folder, copy, { recursive: true })
          if (isFlipped) {
            const bytes = await readFile(join(copy, name))
            if (kept >= bytes.length) continue
            bytes[kept]! ^= 1
            await writeFile(join(copy, name), bytes)
          } else await truncate(join(copy, name), kept)
          const at = `${name} ${isFlipped ? 'flipped' : 'cut'} at ${kept} of ${length}`
          const found = await withChain(copy, async ({ standard }) => {
            const head = Number(await standard.request({ method: 'eth_blockNumber' }))
            const block = await standard.request({
              method: 'eth_getBlockByNumber',
              params: ['latest', false],
            })
            return head === 0 || block!.hash === hashes[head] ? 'a chain' : 'another chain'
          }).catch((error: Error) => (error instanceof PresealError ? 'a named error' : `${error.stack}`))
          if (found !== 'a chain' && found !== 'a named error') results.push(`${at}: ${found}`)
          const isKnown = async () =>
            withChain(copy, async ({ standard }) => {
              const block = await standard.request({
                method: 'eth_getBlockByNumber',
                params: ['latest', false],
              })
              return block!.number === '0x0' || block!.hash === hashes[Number(block!.number)]
            })
          for (const action of ['verify', 'repair']) {
            const { code, out } = await run(action, copy).catch(({ stack }: Error) => ({
              code: 3,
              out: stack,
            }))
            if (code > 2 || (code === 0 && !(await isKnown()))) results.push(`${at}: ${action} ${out}`)
          }
        }
      }
    }
    expect(results).toEqual([])
  })
})
