/** The package on every Node it is for, imported and required. */
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProject, NODES, nodeCommand } from './project.ts'
import { CLIENT_TOOLS, cjsMain, commonJs, esMain, esModules, PRINTED } from './stories.ts'

const manifest: { readonly exports: Readonly<Record<string, unknown>> } = createRequire(import.meta.url)(
  '../../package.json',
)
/** `preseal/vitest` is for tests of vitest alone: it is tried in one. */
const entries = Object.keys(manifest.exports)
  .filter((path) => !path.endsWith('.json') && path !== './vitest')
  .map((path) => `preseal${path.slice(1)}`)

describe.each(NODES)('on Node %s', (major) => {
  it('runs imported', async () => {
    const project = await createProject({
      tools: CLIENT_TOOLS,
      files: { ...esModules, 'main.js': esMain },
    })
    const { stdout, stderr } = await project.run(nodeCommand(major), ['main.js'])
    expect({ ...JSON.parse(stdout), stderr }).toEqual({ ...PRINTED, stderr: '' })
  })

  it('runs required', async () => {
    const project = await createProject({
      type: 'commonjs',
      tools: CLIENT_TOOLS,
      files: { ...commonJs, 'main.js': cjsMain },
    })
    const { stdout, stderr } = await project.run(nodeCommand(major), ['main.js'])
    expect({ ...JSON.parse(stdout), stderr }).toEqual({ ...PRINTED, stderr: '' })
  })

  it('finds the same under every sub-path, imported and required', async () => {
    const project = await createProject({
      tools: CLIENT_TOOLS,
      files: {
        'main.js': `
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
const require = createRequire(import.meta.url)
const names = (module) => Object.keys(module).filter((name) => name !== 'default' && name !== 'module.exports').sort()
const found = {}
for (const path of ${JSON.stringify(entries)}) {
  found[path] = { imported: names(await import(path)), required: names(require(path)) }
}
console.log(JSON.stringify(found))
`,
      },
    })
    const { stdout, stderr } = await project.run(nodeCommand(major), ['main.js'])
    const found = JSON.parse(stdout) as Record<string, { imported: string[]; required: string[] }>
    expect(Object.keys(found)).toEqual(entries)
    for (const { imported, required } of Object.values(found)) {
      expect(imported.length).toBeGreaterThan(0)
      expect(required).toEqual(imported)
    }
    expect(stderr).toBe('')
  })
})

it('needs no other package, and brings none along', async () => {
  const project = await createProject({
    files: {
      'story.js': esModules['story.js'],
      'main.js': `import { story } from './story.js'\nconsole.log(JSON.stringify(await story()))`,
    },
  })
  const { stdout } = await project.run('npm', ['ls', '--all', '--parseable'])
  expect(stdout.trim().split('\n')).toEqual([project.folder, expect.stringMatching(/node_modules\/preseal$/)])
  expect(JSON.parse((await project.run(process.execPath, ['main.js'])).stdout)).toEqual(PRINTED.story)
})

it('carries the licences of all it bundles', async () => {
  const { folder } = await createProject({ files: {} })
  const read = (path: string) => readFile(join(folder, 'node_modules/preseal', path), 'utf8')
  const bundled = new Set<string>()
  for (const map of (await readdir(join(folder, 'node_modules/preseal/dist'))).filter((name) =>
    name.endsWith('.map'),
  )) {
    for (const source of (JSON.parse(await read(`dist/${map}`)) as { readonly sources: string[] }).sources) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]
      if (name !== undefined) bundled.add(name)
    }
  }
  expect(bundled).toContain('@ethereumjs/evm')
  const notices = await read('dist/THIRD-PARTY-NOTICES.txt')
  expect([...bundled].filter((name) => !notices.includes(`\n${name} `))).toEqual([])
  expect(await read('LICENSE')).toContain('MIT')
})
