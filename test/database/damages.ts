/** Databases with damaged entries. */
import { createChain, createManualClock, type PresealChain } from '../../src/index.ts'
import { memoryLevel, type TestLevel } from '../core/ledger/failingDatabase.ts'
import { LOGGING, sign } from '../core/sequencer/support.ts'
import { CONTRACT as contract, STRANGER } from '../operations.ts'
import { type Everything, everythingOf } from './everything.ts'

export const BYTES = { keyEncoding: 'view', valueEncoding: 'view' } as const

/** Without the oracle, which reads damaged databases too. */
export const open = (database: TestLevel): Promise<PresealChain> =>
  createChain({
    mining: 'manual',
    clock: createManualClock(1_700_000_000_000),
    database: database as never,
  })

/** A database with logs, unsigned senders, a patched block, code and slots. */
export async function filled(): Promise<{
  level: TestLevel
  entries: [Uint8Array, Uint8Array][]
  answers: Everything
}> {
  const level = memoryLevel()
  const chain = await open(level)
  const ask = (method: string, ...params: unknown[]) => chain.standard.request({ method, params })
  await ask('anvil_setCode', contract, '0x600154600101600155')
  await chain.seal()
  await chain.live.request({
    method: 'eth_sendRawTransaction',
    params: [await sign(chain, { nonce: 0, ...LOGGING })],
  })
  await chain.seal()
  await ask('anvil_setStorageAt', contract, '0x0', `0x${'00'.repeat(31)}07`)
  await ask('anvil_setBalance', STRANGER, '0xde0b6b3a7640000')
  await ask('eth_sendUnsignedTransaction', { from: STRANGER, to: contract, gas: '0xffff' })
  await chain.seal()
  await ask('anvil_setBalance', contract, '0x5')
  const answers = await everythingOf(chain)
  await chain.close()
  return { level, entries: (await level.iterator(BYTES).all()) as never, answers }
}

/** What happens to a value; undefined: the entry is lost. */
export const DAMAGES: readonly (readonly [string, (value: Uint8Array) => Uint8Array | undefined])[] = [
  ['a flipped first byte', (value) => Uint8Array.from(value, (byte, i) => (i === 0 ? byte ^ 1 : byte))],
  [
    'a flipped last byte',
    (value) => Uint8Array.from(value, (byte, i) => (i === value.length - 1 ? byte ^ 0x80 : byte)),
  ],
  ['a truncated value', (value) => value.slice(0, -1)],
  ['no entry', () => undefined],
]

/** Whether answers are the expected ones except for errors that name the damage. */
export function agrees(found: unknown, expected: unknown): boolean {
  if (typeof found === 'string' && /^error -32000 (the database is damaged|state not available)/.test(found))
    return true
  if (typeof found !== 'object' || found === null || typeof expected !== 'object' || expected === null) {
    return found === expected
  }
  const keys = new Set([...Object.keys(found), ...Object.keys(expected)])
  return [...keys].every((key) => agrees((found as never)[key], (expected as never)[key]))
}

/** A database with these entries, of which one is damaged. */
export async function damagedLevel(
  entries: readonly (readonly [Uint8Array, Uint8Array])[],
  damagedKey: Uint8Array,
  damage: (value: Uint8Array) => Uint8Array | undefined,
): Promise<TestLevel> {
  const level = memoryLevel()
  await level.open()
  const kept = entries.flatMap(([key, value]) => {
    const now = key === damagedKey ? damage(value) : value
    return now === undefined ? [] : [{ type: 'put', key, value: now, ...BYTES }]
  })
  await level.batch(kept as never)
  return level
}

/** A key in an error message. */
export function keyName(key: Uint8Array): string {
  return new TextDecoder().decode(key).replace(/[^\w:]/g, (c) => `\\${c.charCodeAt(0)}`)
}
