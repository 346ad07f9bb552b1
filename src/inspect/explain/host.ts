/** The files and the terminal of a host that is Node. */
import type { FolderReader } from './artifactFiles.ts'

interface Host {
  readonly process?: {
    readonly stdout?: { readonly isTTY?: boolean }
    readonly env?: Readonly<Record<string, string | undefined>>
    getBuiltinModule?(name: string): unknown
  }
}

const { process: host } = globalThis as Host

/** The used part of Node's `fs`. */
interface FileSystem {
  readonly promises: FolderReader & { readFile(path: string, encoding: 'utf8'): Promise<string> }
}

/** Returns Node's `fs` from 20.16 on. Does not import `moduleOfNode`: the core would need one more file to share it. */
export function fileSystem(): FileSystem | undefined {
  return host?.getBuiltinModule?.('node:fs') as FileSystem | undefined
}

/** Returns whether the output is a terminal and `NO_COLOR` is not set (https://no-color.org). */
export function wantsColors(): boolean {
  return host?.stdout?.isTTY === true && !host.env?.['NO_COLOR']
}
