/** What the lanes ask git. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Runs git in a checkout. @throws if it fails. */
export function git(args: readonly string[], cwd = '.'): string {
  return execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** The checked out commit, with `-dirty` if files differ from it. */
export function describeCommit(): string {
  return git(['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']).trim()
}

/** A file that was changed. */
export interface Change {
  /** Its path, relative to the repository; the former path if it was removed. */
  readonly path: string
  /** Whether it was at most moved: its text is the same but for the imports. */
  readonly isMove: boolean
}

/**
 * The files that differ between a commit and the working tree.
 *
 * @throws if there is no such commit.
 */
export function changesSince(base: string, cwd = '.'): readonly Change[] {
  const list = (...args: readonly string[]) => git(args, cwd).split('\0').slice(0, -1)
  const fields = list('diff', '--name-status', '--find-renames', '-z', base, '--')
  const changes: Change[] = []
  for (let at = 0; at < fields.length; ) {
    const status = fields[at++]!
    const before = fields[at++]!
    const path = status.startsWith('R') ? fields[at++]! : before
    const isCompared = /^[MR]/.test(status) && /\.ts$/.test(path)
    const textBefore = () => git(['show', `${base}:${before}`], cwd)
    const isMove = isCompared && isSameButForImports(textBefore(), readFileSync(join(cwd, path), 'utf8'))
    changes.push({ path, isMove })
    // The folder that a file has left has changed too.
    if (path !== before && !isMove) changes.push({ path: before, isMove })
  }
  const added = list('ls-files', '--others', '--exclude-standard', '-z')
  return [...changes, ...added.map((path) => ({ path, isMove: false }))]
}

/** Whether two sources are equal once the specifiers of their imports, and the order of the imports, are left out. */
export function isSameButForImports(before: string, after: string): boolean {
  return withoutSpecifiers(before) === withoutSpecifiers(after)
}

const STATEMENT = /^(?:(?:import|export)\b[^'"`=]*?\bfrom |import )'[^']+'\n/gm

function withoutSpecifiers(source: string): string {
  const specifier = /'[^']+'/
  const statements = (source.match(STATEMENT) ?? []).map((text) => text.replace(specifier, "''")).sort()
  const rest = source.replace(STATEMENT, '').replace(/\bimport\(\s*'[^']+'\s*\)/g, "import('')")
  return [...statements, rest].join('')
}
