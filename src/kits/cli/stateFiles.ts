/**
 * The state files of the command line, as in anvil: one is loaded before the chain is served, and one is written at an
 * interval and at the end. It is written under a second name and then renamed, so that it is always complete. A mount
 * point cannot be replaced by renaming, so the file is copied there.
 *
 * Owns: the timer of the interval.
 */
import { constants } from 'node:fs'
import { access, copyFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { systemClock, type Timer } from '../../base/clock.ts'
import { toError } from '../../base/emitter.ts'
import type { Hex } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { FileError, readBytes } from './files.ts'

/** The files to load and to write. */
export interface StateFiles {
  readonly load: string | undefined
  readonly dump: string | undefined
  /** Whether the file to load may be missing. */
  readonly mayBeMissing: boolean
  readonly intervalSeconds: number
  readonly withStates: boolean
}

/** @throws FileError if the file cannot be read or loaded */
export async function loadStateFile({ standard }: PresealChain, files: StateFiles): Promise<void> {
  if (files.load === undefined) return
  const path = await toFile(files.load)
  if (files.mayBeMissing && (await isMissing(path))) return
  const content = await readBytes(path)
  try {
    // Compresses the state, as the limit for the parameters of a request is lower than the size of some files.
    const bytes = isCompressed(content) ? content : gzipSync(content)
    await standard.request({ method: 'anvil_loadState', params: [`0x${bytes.toString('hex')}`] })
  } catch (error) {
    throw new FileError(`cannot load ${path}: ${toError(error).message}`)
  }
}

const isCompressed = (content: Buffer): boolean => content[0] === 0x1f && content[1] === 0x8b

const isMissing = (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    ({ code }) => code === 'ENOENT',
  )

/**
 * Starts writing the state at the interval. Failures go to `onError`. The returned function writes the state once more.
 *
 * @throws FileError if the folder does not allow writing; the returned function throws one if a write fails
 */
export async function startWriting(
  chain: PresealChain,
  { dump, withStates, intervalSeconds }: StateFiles,
  onError: (error: Error) => void,
): Promise<() => Promise<void>> {
  if (dump === undefined) return async () => {}
  const path = await toTarget(await toFile(dump))
  await access(dirname(path), constants.W_OK).catch((error) => {
    throw cannotWrite(path, error)
  })
  let timer: Timer
  let writing = Promise.resolve()
  const wait = (): void => {
    timer = systemClock.setTimeout(async () => {
      writing = write(chain, path, withStates).catch(onError)
      await writing
      wait()
    }, 1000 * intervalSeconds)
    // Lets the process end if the server does not start.
    timer.unref()
  }
  wait()
  return async () => {
    await writing
    systemClock.clearTimeout(timer)
    await write(chain, path, withStates)
  }
}

async function write({ standard }: PresealChain, path: string, withStates: boolean): Promise<void> {
  const aside = `${path}.tmp`
  try {
    const state: Hex = await standard.request({ method: 'anvil_dumpState', params: [withStates] })
    // Uncompressed, as in anvil.
    await writeFile(aside, gunzipSync(Buffer.from(state.slice(2), 'hex')))
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {})
    throw cannotWrite(path, error)
  }
  try {
    await replace(path, aside)
  } catch (error) {
    throw cannotWrite(path, error, aside)
  }
}

/** Moves `aside` to `path`, or copies it if `path` is a mount point. */
async function replace(path: string, aside: string): Promise<void> {
  try {
    await rename(aside, path)
  } catch (error) {
    const isMountPoint = ['EBUSY', 'EXDEV'].includes((error as NodeJS.ErrnoException).code ?? '')
    if (!isMountPoint) throw error
    await copyFile(aside, path)
    await rm(aside)
  }
}

/** @param aside - the file that has the state, if it could be written */
function cannotWrite(path: string, error: unknown, aside?: string): FileError {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  const place = aside === undefined ? '' : `; the state is in ${aside}`
  return new FileError(`cannot write ${path}: ${syscall === undefined ? message : code}${place}`)
}

/** Follows symbolic links; the target need not exist. */
async function toTarget(path: string): Promise<string> {
  let target = path
  // Linux follows at most 40 links, too.
  for (let links = 0; links < 40; links++) {
    const next = await readlink(target).catch(() => undefined)
    if (next === undefined) return target
    target = resolve(dirname(target), next)
  }
  return target
}

/** Returns the path or, for a folder, the path of its file `state.json`, as in anvil. */
async function toFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ? join(path, 'state.json') : path
}
