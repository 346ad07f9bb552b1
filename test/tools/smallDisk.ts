/** A disk that becomes full soon. */
import { execFileSync } from 'node:child_process'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, type TestContext } from 'vitest'

/** A disk of a megabyte, which `fill` fills and `empty` empties again. The test is skipped where none can be mounted. */
export async function smallDisk({ skip }: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'preseal-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    await rm(folder, { recursive: true })
    skip(`no disk can be mounted: ${(error as Error).message}`)
  }
  onTestFinished(async () => {
    // What was killed may still be ending.
    execFileSync('umount', ['--lazy', folder])
    await rm(folder, { recursive: true })
  })
  const ballast = join(folder, 'ballast')
  /** Whether there was room for this many bytes. */
  const append = (size: number): Promise<boolean> =>
    appendFile(ballast, new Uint8Array(size)).then(
      () => true,
      () => false,
    )
  const fill = async (): Promise<void> => {
    let size = 65_536
    while (size >= 1) if (!(await append(size))) size /= 2
  }
  return { folder, fill, empty: () => rm(ballast) }
}
