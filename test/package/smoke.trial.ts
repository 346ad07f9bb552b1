/** The shortest use of the package in Node, in other runtimes, by the compiler of TypeScript and in a page. */
import { chromium } from 'playwright'
import { describe, expect, it, onTestFinished } from 'vitest'
import requireChromium, { LAUNCH_OPTIONS, SKIPS_CHROMIUM } from '../tools/chromium.ts'
import { buildProject, readPage, STORY_PAGE, STRICT } from './page.ts'
import { createProject, toolCommand } from './project.ts'
import { CLIENT_TOOLS, cjsMain, commonJs, esMain, esModules, PRINTED, STORY, typeScript } from './stories.ts'

const imported = { tools: CLIENT_TOOLS, files: { ...esModules, 'main.js': esMain } }

describe('the package, in short', () => {
  it('runs in Node when imported', async () => {
    const project = await createProject(imported)
    const { stdout, stderr } = await project.run(process.execPath, ['main.js'])
    expect({ ...JSON.parse(stdout), stderr }).toEqual({ ...PRINTED, stderr: '' })
  })

  it('runs in Node when required', async () => {
    const files = { ...commonJs, 'main.js': cjsMain }
    const project = await createProject({ type: 'commonjs', tools: CLIENT_TOOLS, files })
    const { stdout, stderr } = await project.run(process.execPath, ['main.js'])
    expect({ ...JSON.parse(stdout), stderr }).toEqual({ ...PRINTED, stderr: '' })
  })

  it.each([
    ['Bun', 'bun', ['run']],
    ['Deno', 'deno', ['run', '--allow-all']],
  ] as const)('runs on %s', async (_, tool, args) => {
    const project = await createProject(imported)
    const { stdout } = await project.run(toolCommand(tool), [...args, 'main.js'])
    expect(JSON.parse(stdout)).toEqual(PRINTED)
  })

  it('compiles under strict TypeScript', async () => {
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      noEmit: true,
    }
    const tsconfig = { compilerOptions: { ...compilerOptions, target: 'es2022', types: ['node'] } }
    const files = { ...typeScript, 'tsconfig.json': JSON.stringify(tsconfig) }
    const project = await createProject({ tools: ['@types/node', ...CLIENT_TOOLS], files })
    expect((await project.run(toolCommand('tsc'), [])).stdout).toBe('')
  })

  it.skipIf(SKIPS_CHROMIUM)('runs in a page under a strict policy', async () => {
    requireChromium()
    const browser = await chromium.launch(LAUNCH_OPTIONS)
    onTestFinished(() => browser.close())
    const { project } = await buildProject({ 'main.js': STORY_PAGE })
    expect(await readPage(browser, project, STRICT)).toEqual({ result: STORY, messages: [] })
  })
})
