import { describe, expect, it } from 'vitest'
import { ask, askAll, askBoth, blockForms, startScene } from '../scene.ts'

const NOBODY = `0x${'ee'.repeat(20)}`

describe('eth_getStorageValues', () => {
  it('reads many slots of many accounts', async () => {
    const { chain, token, probe } = await startScene()
    const read = (account: string, slot: string) =>
      ask(chain.preconf, 'eth_getStorageAt', [account, slot, 'pending'])
    const requested = {
      [probe]: ['0x7', `0x${'7'.padStart(64, '0')}`, '0x8'],
      [token]: ['0x0'],
      [NOBODY]: ['0x0'],
    }
    const expected = {
      [probe]: [await read(probe, '0x7'), await read(probe, '0x7'), await read(probe, '0x8')],
      [token]: [await read(token, '0x0')],
      [NOBODY]: [await read(NOBODY, '0x0')],
    }
    expect(BigInt(expected[probe]![0] as string)).toBe(9n)
    expect(await ask(chain.preconf, 'eth_getStorageValues', [requested, 'pending'])).toEqual(expected)
  })

  it('accepts every form of a block', async () => {
    const scene = await startScene()
    const { probe } = scene
    const forms = {
      absent: [{ [probe]: ['0x7'] }],
      ...blockForms(scene, (block) => [{ [probe]: ['0x7'] }, block]),
    }
    const answers = await askAll(scene.chain, 'eth_getStorageValues', forms)
    const singly = await askAll(scene.chain, 'eth_getStorageAt', {
      absent: [probe, '0x7'],
      ...blockForms(scene, (block) => [probe, '0x7', block]),
    })
    const wrap = (answer: unknown) => (String(answer).startsWith('error') ? answer : { [probe]: [answer] })
    const wrapped = Object.entries(singly).map(([name, views]) => [
      name,
      Object.fromEntries(Object.entries(views as object).map(([view, answer]) => [view, wrap(answer)])),
    ])
    expect(answers).toEqual(Object.fromEntries(wrapped))
    expect(answers['pending']).not.toEqual(answers['latest'])
  })

  it('accepts 1 to 1024 slots in total, and each account once', async () => {
    const { chain, probe, token } = await startScene()
    const slots = (count: number) => Array.from({ length: count }, (_, i) => `0x${i.toString(16)}`)
    const counts = async (params: unknown) => {
      const { both } = (await askBoth(chain, 'eth_getStorageValues', params)) as {
        both: Record<string, string[]> | string
      }
      return typeof both === 'string' ? both : Object.values(both).map((values) => values.length)
    }
    expect(await counts([{ [probe]: slots(1000), [token]: slots(24), [NOBODY]: [] }])).toEqual([1000, 24, 0])
    expect(await counts([{ [probe]: slots(1000), [token]: slots(25) }])).toBe(
      'error -38026 too many slots (max 1024)',
    )
    for (const none of [{}, { [probe]: [] }]) {
      expect(await counts([none])).toBe('error -32602 invalid argument 0: expected at least one slot')
    }
    expect(await counts([{ [probe]: ['0xg'] }])).toBe(
      `error -32602 invalid argument 0.${probe}[0]: expected a hex string of up to 32 bytes`,
    )
    const upper = `0x${probe.slice(2).toUpperCase()}`
    expect(await counts([{ [probe]: ['0x0'], [upper]: ['0x0'] }])).toBe(
      `error -32602 invalid argument 0.${upper}: expected each key only once`,
    )
  })
})
