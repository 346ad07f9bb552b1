import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { median } from '../measure.ts'
import { BUILD } from '../transactions.ts'
import type { RowGroup } from './row.ts'

const STARTS = 5

export const coldStart: RowGroup = {
  name: 'cold',
  rows: [
    { label: 'cold start, spawn to first answer', unit: 'ms' },
    { label: 'cold start, import to first answer', unit: 'ms' },
  ],

  async measure({ name }) {
    const whole: number[] = []
    const inProcess: number[] = []
    for (let start = 0; start < STARTS; start++) {
      const spawned = performance.now()
      const child = spawn(process.execPath, [join(BUILD, 'children', 'cold.js'), name], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exited = once(child, 'exit')
      const answer = await Promise.race([once(child.stdout, 'data'), exited.then(() => undefined)])
      if (!answer) throw new Error('the process ended without an answer')
      whole.push(performance.now() - spawned)
      inProcess.push(Number(answer[0]))
      await exited
    }
    return [median(whole), median(inProcess)]
  },
}
