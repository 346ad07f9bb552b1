/** The code of pages that runs in the page: what it may print, and how it is started and stopped. */
import { describe, expect, it } from 'vitest'
import { createPrint, MAX_CHARACTERS, MAX_LINES } from '../../docs/.vitepress/live/output.ts'
import type { Run, RunEvent } from '../../docs/.vitepress/live/protocol.ts'
import { Runner } from '../../docs/.vitepress/live/runner.ts'

describe('the output of live code', () => {
  it('ends with a line that says so, after which nothing is sent or formatted', () => {
    const sent: RunEvent[] = []
    let formatted = 0
    const print = createPrint((event) => sent.push(event))
    for (let at = 0; at < 10_000; at++) print('text', () => `${formatted++}`)
    print('error', () => `${formatted++}`)
    expect(sent.length).toBe(MAX_LINES + 1)
    expect(sent.at(-2)).toEqual({ type: 'output', kind: 'text', text: `${MAX_LINES - 1}` })
    expect(sent.at(-1)).toEqual({
      type: 'output',
      kind: 'warning',
      text: 'Only the first 500 lines are shown.',
    })
    expect(formatted).toBe(MAX_LINES)
  })

  it('has no long lines', () => {
    const sent: RunEvent[] = []
    const print = createPrint((event) => sent.push(event))
    print('text', () => 'x'.repeat(MAX_CHARACTERS))
    print('text', () => 'x'.repeat(5_000_000))
    const cut = 'x'.repeat(MAX_CHARACTERS)
    expect(sent).toEqual([
      { type: 'output', kind: 'text', text: cut },
      { type: 'output', kind: 'text', text: `${cut}…` },
    ])
  })
})

describe('the runs of live code', () => {
  /** A runner whose loading ends when the test says so, and the sources that run. */
  function createRunner() {
    const running: string[] = []
    const run: Run = (source) => {
      running.push(source)
      return () => running.splice(running.indexOf(source), 1)
    }
    let onLoaded = () => {}
    const loaded = new Promise<{ readonly run: Run }>((resolve) => {
      onLoaded = () => resolve({ run })
    })
    return { runner: new Runner(() => loaded), running, onLoaded }
  }
  const listener = { onOutput() {}, onEnd() {} }

  it('are one, also if it is stopped and started again while it is loaded', async () => {
    const { runner, running, onLoaded } = createRunner()
    const first = runner.start('first', listener)
    runner.stop()
    const second = runner.start('second', listener)
    onLoaded()
    await Promise.all([first, second])
    expect(running).toEqual(['second'])
    runner.stop()
    expect(running).toEqual([])
  })

  it('are none if the page is left while it is loaded', async () => {
    const { runner, running, onLoaded } = createRunner()
    const starting = runner.start('first', listener)
    runner.stop()
    onLoaded()
    await starting
    expect(running).toEqual([])
  })
})
