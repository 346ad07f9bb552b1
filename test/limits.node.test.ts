import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MAX_DATA_BYTES, MAX_ITEMS } from '../src/base/schema.ts'
import { MAX_STATE_ENTRIES } from '../src/core/cheats/stateFile/fields.ts'
import { resolveOptions } from '../src/core/options.ts'
import { MAX_REORG_DEPTH } from '../src/core/sequencer/reverts.ts'
import { TraceTooLargeError } from '../src/core/trace/errors.ts'
import { resolveServeOptions } from '../src/kits/server/options.ts'
import { MAX_FILTER_ITEMS } from '../src/rpc/params/block.ts'
import { ROOT } from './tools/sources.ts'

/** The rows of the table: what is limited, the limit, the option, the error. */
const rows = readFileSync(join(ROOT, 'docs/features/limits.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
const shown = (value: number | bigint) => value.toLocaleString('en-US')
const byOption = new Map(rows.map(([, limit, option]) => [option, limit]))

describe('docs/features/limits.md', () => {
  it('has a subject and an effect in each row', () => {
    expect(rows.filter((row) => row.length !== 4 || row[0] === '' || row[3] === '')).toEqual([])
  })

  it('names every limit option with its default', () => {
    const { limits, mempool, history } = resolveOptions()
    const serve = resolveServeOptions()
    const options: Record<string, number | bigint> = {
      'mempool.maxTransactions': mempool.maxTransactions,
      'mempool.maxPerSender': mempool.maxPerSender,
      'history.blocks': history.blocks,
      maxBatch: serve.maxBatch,
      maxBodyBytes: serve.maxBodyBytes,
      maxBatchResponseBytes: serve.maxBatchResponseBytes,
      maxConnections: serve.maxConnections,
      maxInFlight: serve.maxInFlight,
      maxQueuedBytes: serve.maxQueuedBytes,
      maxSubscriptions: serve.maxSubscriptions,
    }
    for (const [name, value] of Object.entries(limits)) options[`limits.${name}`] = value
    const expected = Object.entries(options).map(([name, value]) => [`\`${name}\``, shown(value)])
    expect(expected.map(([name]) => [name, byOption.get(name)])).toEqual(expected)
  })

  it('names the limits that no option changes', () => {
    const limits = new Set(rows.map(([, limit]) => limit!.replace(/ bytes$/, '')))
    const constants = { MAX_DATA_BYTES, MAX_FILTER_ITEMS, MAX_ITEMS, MAX_REORG_DEPTH, MAX_STATE_ENTRIES }
    const missing = Object.entries(constants).filter(([, value]) => !limits.has(shown(value)))
    expect(missing).toEqual([])
  })

  it('quotes the error of traces', () => {
    const { message } = new TraceTooLargeError(1)
    expect(rows.map(([, , , error]) => error).join()).toContain(message.replace('1 bytes', 'M bytes'))
  })
})
