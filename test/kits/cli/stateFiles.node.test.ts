/** The file of `--dump-state` behind links and at mount points. */
import { execFileSync } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { startWriting } from '../../../src/kits/cli/stateFiles.ts'
import { startChain } from '../../harness.ts'
import { smallDisk } from '../../tools/smallDisk.ts'

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'preseal-state-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Makes `inside` the same file as `host`, as a container does; the test is skipped where that is not allowed. */
function mountFile(host: string, inside: string, { skip }: TestContext): void {
  try {
    execFileSync('mount', ['--bind', host, inside], { stdio: 'pipe' })
  } catch (error) {
    skip(`no file can be mounted: ${(error as Error).message}`)
  }
  onTestFinished(() => void execFileSync('umount', [inside]))
}

/** Writes the state of a chain with one block to a file, as the command line does at its end. */
async function dumpTo(dump: string): Promise<void> {
  const chain = await startChain()
  await chain.seal()
  const files = { load: undefined, dump, mayBeMissing: true, intervalSeconds: 60, withStates: false }
  const endWriting = await startWriting(chain, files, () => {})
  await endWriting()
}

const written = async (file: string) => JSON.parse(await readFile(file, 'utf8')).best_block_number

describe('the file of a state', () => {
  it.each(['whole.json', 'absent.json'])('is what a symbolic link leads to: %s', async (name) => {
    const folder = await createFolder()
    await mkdir(join(folder, 'there'))
    await writeFile(join(folder, 'there', 'whole.json'), '{}')
    const link = join(folder, 'link.json')
    await symlink(join('there', name), link)
    await dumpTo(link)
    expect((await lstat(link)).isSymbolicLink()).toBe(true)
    expect(await written(join(folder, 'there', name))).toBe(1)
    expect((await readdir(join(folder, 'there'))).sort()).toEqual([...new Set([name, 'whole.json'])].sort())
  })

  it('is written in place where it is a mount point', async (context) => {
    const folder = await createFolder()
    const [host, inside] = [join(folder, 'host.json'), join(folder, 'inside.json')]
    for (const file of [host, inside]) await writeFile(file, '{}')
    mountFile(host, inside, context)
    await dumpTo(inside)
    expect(await written(host)).toBe(1)
    expect((await readdir(folder)).sort()).toEqual(['host.json', 'inside.json'])
  })

  it('stays beside a mount point that cannot be written, and the error names it', async (context) => {
    const disk = await smallDisk(context)
    const folder = await createFolder()
    const [host, inside] = [join(disk.folder, 'host.json'), join(folder, 'inside.json')]
    for (const file of [host, inside]) await writeFile(file, '')
    await disk.fill()
    mountFile(host, inside, context)
    await expect(dumpTo(inside)).rejects.toThrow(
      `cannot write ${inside}: ENOSPC; the state is in ${inside}.tmp`,
    )
    expect(await written(`${inside}.tmp`)).toBe(1)
  })
})
