/** The package on runtimes other than Node. */
import { describe, expect, it } from 'vitest'
import { createProject, toolCommand } from './project.ts'
import { CLIENT_TOOLS, cjsMain, commonJs, esMain, esModules, PRINTED } from './stories.ts'

const imported = { tools: CLIENT_TOOLS, files: { ...esModules, 'main.js': esMain } }

describe('the package in other runtimes', () => {
  it('runs on Bun, imported', async () => {
    const project = await createProject(imported)
    const { stdout } = await project.run(toolCommand('bun'), ['run', 'main.js'])
    expect(JSON.parse(stdout)).toEqual(PRINTED)
  })

  it('runs on Bun, required', async () => {
    const files = { ...commonJs, 'main.js': cjsMain }
    const project = await createProject({ type: 'commonjs', tools: CLIENT_TOOLS, files })
    const { stdout } = await project.run(toolCommand('bun'), ['run', 'main.js'])
    expect(JSON.parse(stdout)).toEqual(PRINTED)
  })

  it('runs on Deno, without permissions', async () => {
    const project = await createProject({
      files: {
        ...esModules,
        'main.js': `import { story } from './story.js'\nconsole.log(JSON.stringify(await story()))`,
      },
    })
    const { stdout } = await project.run(toolCommand('deno'), ['run', '--no-prompt', 'main.js'])
    expect(JSON.parse(stdout)).toEqual(PRINTED.story)
  })

  it('runs on Deno with viem and ethers', async () => {
    const project = await createProject(imported)
    const { stdout } = await project.run(toolCommand('deno'), ['run', '--allow-all', 'main.js'])
    expect(JSON.parse(stdout)).toEqual(PRINTED)
  })
})
