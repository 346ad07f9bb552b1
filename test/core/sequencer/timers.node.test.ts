import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { bundleProgram } from '../../tools/program.ts'

const run = promisify(execFile)
const library = bundleProgram('src/index.ts')

/** Runs a script in a separate process, which has to end by itself. @returns what it printed. */
async function runScript(body: string): Promise<string> {
  const { href } = pathToFileURL(library.file)
  const script = `
    import { createChain } from ${JSON.stringify(href)}
    const print = (value) => console.log(JSON.stringify(value))
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    ${body}
  `
  const args = ['--input-type=module', '--eval', script]
  const { stdout } = await run(process.execPath, args, { timeout: 30_000 })
  return stdout.trim()
}

describe('timers of a process', () => {
  it('let a process with a chain end, unless the chain has a listener', async () => {
    const printed = await runScript(`
    const chain = await createChain({ blockTime: 20, preconfInterval: 10 })
    const counts = [timers()]
    const listener = () => {}
    chain.on('block', listener)
    counts.push(timers())
    chain.off('block', listener)
    counts.push(timers())
    const closed = await createChain()
    closed.on('block', listener)
    await closed.close()
    counts.push(timers())
    chain.once('block', ({ block }) => print([...counts, block.number]))
  `)
    expect(printed).toBe('[0,1,0,0,"0x1"]')
  })

  it('throw an error without listeners as an uncaught exception, and one of an error listener too', async () => {
    const printed = await runScript(`
    const uncaught = []
    process.on('uncaughtException', ({ message }) => uncaught.push(message))
    const chain = await createChain({ mining: 'manual' })
    chain.on('preconf', () => { throw new Error('of a listener') })
    await chain.tick()
    chain.on('error', () => { throw new Error('of an error listener') })
    await chain.tick()
    await new Promise((resolve) => setImmediate(resolve))
    print(uncaught)
    await chain.close()
  `)
    expect(printed).toBe('["of a listener","of an error listener"]')
  })
})
