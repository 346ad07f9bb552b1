/** Which trials of the package judge a change. */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { changesSince, git, isSameButForImports } from '../scripts/lanes/git.ts'
import { SMOKE, TRIALS, trialsOf } from '../scripts/lanes/trials.ts'
import { ROOT } from './tools/sources.ts'

/** The trials besides those of every change. */
const addedBy = (path: string, isMove = false) =>
  trialsOf([{ path, isMove }]).filter((trial) => !SMOKE.includes(trial))

const CORE = ['commandLine', 'node', 'typescript', 'vitest']
const ALL = TRIALS.filter((trial) => !SMOKE.includes(trial))

describe('the trials of a change', () => {
  it.each([
    ['src/chain/chain.ts', CORE],
    ['src/index.ts', CORE],
    ['src/aNewFolder/file.ts', CORE],
    ['src/kits/playwright/wallet.ts', ['playwright']],
    ['src/rpc/hardhat/hardhat.ts', ['hardhat']],
    ['src/rpc/provider.ts', CORE],
    ['examples/hardhat3/test/token.ts', ['hardhat']],
    ['examples/quickStart.ts', ['page', 'site']],
    ['docs/guide/index.md', ['site']],
    ['test/chain/chain.test.ts', []],
    ['test/package/prool.trial.ts', ['prool']],
    ['README.md', []],
  ])('are those of its folder: %s', (path, trials) => {
    expect(addedBy(path)).toEqual(trials)
  })

  it.each([
    'aNewFile.ts',
    'package.json',
    'package-lock.json',
    'tsup.config.ts',
    'scripts/shrink.ts',
    'scripts/lanes/trials.ts',
    '.ci/run',
    'wasm/secp256k1/build.sh',
    'test/package/project.ts',
    'test/package/tools/package-lock.json',
    'LICENSE.md',
  ])('are all if it changes what every trial depends on, or what no trial is known for: %s', (path) => {
    expect(addedBy(path)).toEqual(ALL)
  })

  it('are those of the core for a file of the library that was only moved', () => {
    expect(addedBy('src/kits/playwright/wallet.ts', true)).toEqual(CORE)
    expect(addedBy('test/kits/playwright/wallet.test.ts', true)).toEqual([])
  })

  it('are those of all its files, and the smoke trials', () => {
    const changes = ['docs/a.md', 'src/kits/prool/a.ts', 'src/kits/worker/a.ts'].map((path) => ({
      path,
      isMove: false,
    }))
    expect(trialsOf(changes)).toEqual(['firefox', 'page', 'prool', 'site', 'size', 'smoke', 'web'])
    expect(trialsOf([])).toEqual(['size', 'smoke'])
  })

  it('exist', () => {
    const files = git(['ls-files'], ROOT).trim().split('\n')
    const named = new Set(files.flatMap((path) => trialsOf([{ path, isMove: false }])))
    expect([...named].filter((trial) => !TRIALS.includes(trial))).toEqual([])
  })
})

describe('the changes since a commit', () => {
  /** A checkout with one commit. */
  async function createCheckout(files: Readonly<Record<string, string>>) {
    const folder = await mkdtemp(join(tmpdir(), 'preseal-checkout-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const write = async (path: string, text: string) => {
      await mkdir(join(folder, path, '..'), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    for (const [path, text] of Object.entries(files)) await write(path, text)
    const run = (...args: readonly string[]) =>
      git(['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], folder)
    const commit = () => [run('add', '.'), run('commit', '--quiet', '--message', 'change')]
    run('init', '--quiet')
    commit()
    return { folder, write, commit }
  }

  const LINES = Array.from({ length: 9 }, (_, i) => `export const a${i} = ${i}\n`).join('')

  it('are its committed, uncommitted and new files; a file with other imports alone has moved', async () => {
    const { folder, write, commit } = await createCheckout({
      'src/a.ts': `import './b.ts'\n${LINES}`,
      'src/b.ts': LINES.replaceAll('a', 'b'),
      'src/c.ts': `import './a.ts'\n`,
      'src/kept.ts': 'kept()\n',
      'docs/a.md': 'text\n',
      'docs/gone.md': 'gone\n',
    })
    await mkdir(join(folder, 'src/kits'))
    await rename(join(folder, 'src/a.ts'), join(folder, 'src/kits/a.ts'))
    await write('src/kits/a.ts', `import '../b.ts'\n${LINES}`)
    await write('src/c.ts', `import './kits/a.ts'\n`)
    await rm(join(folder, 'docs/gone.md'))
    commit()
    await rename(join(folder, 'src/b.ts'), join(folder, 'src/kits/b.ts'))
    await write('src/kits/b.ts', `${LINES.replaceAll('a', 'b')}b0()\n`)
    await write('docs/a.md', 'another text\n')
    git(['add', '--intent-to-add', 'src/kits/b.ts'], folder)
    await write('new.ts', 'isNew()\n')

    const changes = [...changesSince('HEAD~1', folder)].sort((a, b) => a.path.localeCompare(b.path))
    expect(changes).toEqual([
      { path: 'docs/a.md', isMove: false },
      { path: 'docs/gone.md', isMove: false },
      { path: 'new.ts', isMove: false },
      { path: 'src/b.ts', isMove: false },
      { path: 'src/c.ts', isMove: true },
      { path: 'src/kits/a.ts', isMove: true },
      { path: 'src/kits/b.ts', isMove: false },
    ])
    expect(changesSince('HEAD', folder).map(({ path }) => path)).not.toContain('src/c.ts')
  })

  it('are not known without the commit', async () => {
    const { folder } = await createCheckout({ 'a.ts': 'a()\n' })
    expect(() => changesSince('HEAD~1', folder)).toThrow()
    expect(() => changesSince('', folder)).toThrow()
  })
})

describe('a file is only moved', () => {
  const before = `import { b } from '../b.ts'\nimport type { C } from './c.ts'\n\nexport const a = (): C => b('x')\n`

  it('if nothing but the specifiers and the order of its imports differ', () => {
    const after = `import type { C } from '../../c.ts'\nimport { b } from './b.ts'\n\nexport const a = (): C => b('x')\n`
    expect(isSameButForImports(before, after)).toBe(true)
    expect(isSameButForImports(`f(await import('./a.ts'))\n`, `f(await import('../a.ts'))\n`)).toBe(true)
    expect(isSameButForImports(`import './a.ts'\n`, `import '../a.ts'\n`)).toBe(true)
    expect(
      isSameButForImports(
        `import {\n  a,\n  b,\n} from './a.ts'\n`,
        `import {\n  a,\n  b,\n} from './b.ts'\n`,
      ),
    ).toBe(true)
  })

  it.each([
    ['a string', before.replace("'x'", "'y'")],
    ['an imported name', before.replace('{ b }', '{ c as b }')],
    ['an import that is gone', before.replace("import type { C } from './c.ts'\n", '')],
    ['a line', `${before}b('y')\n`],
  ])('not if it differs in %s', (_, after) => {
    expect(isSameButForImports(before, after)).toBe(false)
    expect(isSameButForImports(after, before)).toBe(false)
  })

  it('not if a constant that it exports differs', () => {
    expect(isSameButForImports(`export const a = 'x'\n`, `export const a = 'y'\n`)).toBe(false)
  })
})
