/** The size limits of package.json, and the files of the build that their patterns name. */
import { readFileSync } from 'node:fs'

/** A row of the size limits. */
export interface SizeLimit {
  readonly name: string
  readonly path: string
  /** Patterns of imports that are not counted: relative to `dist/`, or names of packages. */
  readonly ignore?: readonly string[]
}

/** The size limits of the package.json at a path. */
export function readSizeLimits(manifest: string): readonly SizeLimit[] {
  return JSON.parse(readFileSync(manifest, 'utf8'))['size-limit']
}

/** The patterns of a row's ignored files, as paths from the root of the repository, such as `dist/kzg-*`. */
export function ignoredFiles({ ignore = [] }: SizeLimit): string[] {
  return ignore.filter((pattern) => pattern.startsWith('./')).map((pattern) => pattern.replace('./', 'dist/'))
}

/** Whether a pattern with at most one `*` names a file. */
export function matchesFile(pattern: string, file: string): boolean {
  const [start = '', end] = pattern.split('*')
  return end === undefined ? file === pattern : file.startsWith(start) && file.endsWith(end)
}
