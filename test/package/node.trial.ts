/** The package on every supported Node, imported and required. */
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { readBundled } from './metafile.ts'
import { READ_ALLOC, readAlloc } from './predeploys.ts'
import { createProject, NODES, nodeCommand } from './project.ts'
import { CLIENT_TOOLS, cjsMain, commonJs, esMain, esModules, PRINTED } from './stories.ts'

const manifest: { readonly exports: Readonly<Record<string, unknown>> } = createRequire(import.meta.url)(
  '../../package.json',
)
/** These only load beside their runners, and are tried there. */
const OF_RUNNERS = ['./coverage/setup', './playwright', './vitest']
const entries = Object.keys(manifest.exports)
  .filter((path) => !path.endsWith('.json') && !OF_RUNNERS.includes(path))
  .map((path) => `preseal${path.slice(1)}`)

/** A program that prints the result of the story. */
const STORY_FILES = {
  'story.js': esModules['story.js'],
  'main.js': `import { story } from './story.js'\nconsole.log(JSON.stringify(await story()))`,
}

describe('the package in Node', () => {
  describe.each(NODES)('on Node %s', (major) => {
    it('runs when imported', async () => {
      const project = await createProject({
        tools: CLIENT_TOOLS,
        files: { ...esModules, 'main.js': esMain },
      })
      const { stdout, stderr } = await project.run(nodeCommand(major), ['main.js'])
      expect({ ...JSON.parse(stdout), stderr }).toEqual({ ...PRINTED, stderr: '' })
    })

    it('runs when required', async () => {
      const project = await createProject({
        type: 'commonjs',
        tools: CLIENT_TOOLS,
        files: { ...commonJs, 'main.js': cjsMain },
      })
      const { stdout, stderr } = await project.run(nodeCommand(major), ['main.js'])
      expect({ ...JSON.parse(stdout), stderr }).toEqual({ ...PRINTED, stderr: '' })
    })

    it('has the same exports at every sub-path, imported and required', async () => {
      const project = await createProject({
        tools: CLIENT_TOOLS,
        files: {
          'main.js': `
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
const require = createRequire(import.meta.url)
const names = (module) => Object.keys(module).filter((name) => name !== 'module.exports').sort()
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

  it.each([
    ['imported', 'main.mjs', (path: string) => `await import('${path}')`],
    ['required', 'main.cjs', (path: string) => `require('${path}')`],
  ])('has all contracts of the option predeploys, %s', async (_, name, load) => {
    const main = `
async function main() {
  const { createChain } = ${load('preseal')}
  ${READ_ALLOC}
  console.log(JSON.stringify(alloc))
}
main()
`
    const project = await createProject({ files: { [name]: main } })
    const { stdout } = await project.run(process.execPath, [name])
    expect(JSON.parse(stdout)).toEqual(await readAlloc())
  })

  it.each([
    ['imported', 'main.mjs', (path: string) => `await import('${path}')`],
    ['required', 'main.cjs', (path: string) => `require('${path}')`],
  ])('throws the classes of preseal/errors, %s', async (_, name, load) => {
    const main = `
async function main() {
  const { createChain } = ${load('preseal')}
  const { serve } = ${load('preseal/server')}
  const { connectChain, exposeChain } = ${load('preseal/worker')}
  const errors = ${load('preseal/errors')}
  const chain = await createChain()
  const ask = (method, ...params) => chain.preconf.request({ method, params })
  const { port1, port2 } = new MessageChannel()
  exposeChain(chain, port1)
  const remote = await connectChain(port2)
  const server = await serve(chain, { port: 0, preconfPort: 0 })
  const port = Number(new URL(server.url).port)
  const found = {}
  for (const [name, act] of Object.entries({
    InvalidOptionError: () => createChain({ blockTime: 0 }),
    MethodNotFoundError: () => ask('eth_nothing'),
    InvalidParamsError: () => ask('eth_getBalance', '0x1', 'latest'),
    TransactionDecodeError: () => ask('eth_sendRawTransaction', '0xff'),
    UnknownBatchError: () => ask('wallet_getCallsStatus', '0x1234'),
    BlockNumberOrderError: () => ask('eth_simulateV1', { blockStateCalls: [{ blockOverrides: { number: '0x0' } }] }),
    UnknownTracerError: () => ask('debug_traceCall', {}, 'latest', { tracer: 'none' }),
    UnknownSnapshotError: () => chain.revert('0x99'),
    ImportError: () => chain.importBlocks(Uint8Array.of(0xc0)),
    ClockNotManualError: () => remote.advance(1),
    PortInUseError: () => serve(chain, { port, preconfPort: 0 }),
    DisconnectedError: () => chain.close().then(() => ask('eth_chainId')),
  })) {
    const error = await act().catch((error) => error)
    found[name] = [error instanceof errors[name], error instanceof errors.PresealError, error.docsPath]
  }
  await remote.close()
  await server.close()
  port1.close()
  console.log(JSON.stringify(found))
}
main()
`
    const project = await createProject({ files: { [name]: main } })
    const { stdout } = await project.run(process.execPath, [name])
    const found = JSON.parse(stdout) as Record<string, unknown>
    expect(Object.keys(found)).toHaveLength(12)
    for (const [thrown, what] of Object.entries(found)) {
      expect({ [thrown]: what }).toEqual({ [thrown]: [true, true, `/reference/errors.html#${thrown}`] })
    }
  })

  it('needs no permission of a process but to read files', async () => {
    const project = await createProject({ files: STORY_FILES })
    const permission = process.allowedNodeEnvironmentFlags.has('--permission')
      ? '--permission'
      : '--experimental-permission'
    const { stdout } = await project.run(process.execPath, [permission, '--allow-fs-read=*', 'main.js'])
    expect(JSON.parse(stdout)).toEqual(PRINTED.story)
  })

  it('needs no other package, and has no dependencies', async () => {
    const project = await createProject({ files: STORY_FILES })
    const { stdout } = await project.run('npm', ['ls', '--all', '--parseable'])
    expect(stdout.trim().split('\n')).toEqual([
      project.folder,
      expect.stringMatching(/node_modules\/preseal$/),
    ])
    expect(JSON.parse((await project.run(process.execPath, ['main.js'])).stdout)).toEqual(PRINTED.story)
  })

  it('includes the licences of all it bundles', async () => {
    const { folder } = await createProject({ files: {} })
    const read = (path: string) => readFile(join(folder, 'node_modules/preseal', path), 'utf8')
    const bundled = new Set<string>()
    for (const format of ['esm', 'cjs'] as const) {
      for (const path of [...(await readBundled(format)).values()].flat()) {
        const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
        if (name !== undefined) bundled.add(name)
      }
    }
    expect(bundled).toContain('@ethereumjs/evm')
    const notices = await read('dist/THIRD-PARTY-NOTICES.txt')
    expect([...bundled].filter((name) => !notices.includes(`\n${name} `))).toEqual([])
    expect(await read('LICENSE')).toContain('MIT')
  })

  describe('the package', () => {
    it('is at most 2.2 MB packed', async () => {
      expect((await stat(inject('tarball'))).size).toBeLessThan(2.2e6)
    })

    it.each([
      ['main.mjs', "import { createChain } from 'preseal'"],
      ['main.cjs', "const { createChain } = require('preseal')"],
    ])('has source maps by which an error of %s points into src/', async (name, load) => {
      const main = `${load}\ncreateChain({ blockTime: 0 }).catch(({ stack }) => console.log(stack))\n`
      const project = await createProject({ tools: [], files: { [name]: main } })
      const { stdout } = await project.run(nodeCommand(NODES[0]!), ['--enable-source-maps', name])
      expect(stdout).toMatch(/^ +at resolveOptions \(.*preseal\/src\/core\/options\.ts:\d+:\d+\)$/m)
    })
  })
})
