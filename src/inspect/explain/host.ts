/** What only Node has, on hosts that are Node. */
import type { FolderReader } from './artifactFiles.ts'

interface Host {
  readonly process?: {
    readonly stdout?: { readonly isTTY?: boolean }
    readonly env?: Readonly<Record<string, string | undefined>>
    getBuiltinModule?(name: string): unknown
  }
}

const { process: host } = globalThis as Host

/** What is used of Node's `fs`. */
interface FileSystem {
  readonly promises: FolderReader & { readFile(path: string, encoding: 'utf8'): Promise<string> }
}

/**
 * Node's `fs`; undefined in pages, and in Node before 20.16. Without `moduleOfNode`: the core, which has it, would be one file
 * more if this entry shared it.
 */
export function fileSystem(): FileSystem | undefined {
  return host?.getBuiltinModule?.('node:fs') as FileSystem | undefined
}

/** Whether the output is a terminal whose user does not refuse colours (https://no-color.org). */
export function wantsColors(): boolean {
  return host?.stdout?.isTTY === true && !host.env?.['NO_COLOR']
}
