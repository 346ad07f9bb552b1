import { describe, expect, it } from 'vitest'
import type { Provider } from '../../../src/index.ts'
import { HEIR, startNests } from '../../core/trace/nest.ts'
import { ask, startScene } from '../scene.ts'

/** The positions of the traces that a filter finds. */
async function places(provider: Provider, filter: object): Promise<unknown> {
  const traces = await ask(provider, 'trace_filter', [filter])
  if (!Array.isArray(traces)) return traces
  return traces.map(({ blockNumber, transactionPosition, traceAddress }) =>
    [blockNumber, transactionPosition, ...traceAddress].join('.'),
  )
}

describe('trace_filter', () => {
  it('finds frames by sender and recipient, including created contracts and selfdestruct heirs', async () => {
    const { chain, seal, nest, other, sender } = await startNests()
    await seal('dive', [other, 2n])
    await seal('creations', [HEIR], { value: 5n })
    const find = (filter: object) => places(chain.standard, filter)
    expect({
      all: await find({}),
      'from the sender': await find({ fromAddress: [sender] }),
      'from a contract': await find({ fromAddress: [nest] }),
      'to a contract': await find({ toAddress: [other] }),
      'from or to': await find({ fromAddress: [nest], toAddress: [nest] }),
      'from and to': await find({ fromAddress: [nest], toAddress: [other], mode: 'intersection' }),
      'to one created': await find({ toAddress: ['0xa16e02e87b7454126e5e10d957a927a7f5b5d2be'] }),
      'to the heir': await find({ toAddress: [HEIR] }),
      'to nobody': await find({ toAddress: [`0x${'99'.repeat(20)}`] }),
    }).toMatchInlineSnapshot(`
      {
        "all": [
          "1.0",
          "1.1",
          "2.0",
          "2.0.0",
          "2.0.0.0",
          "3.0",
          "3.0.0",
          "3.0.1",
          "3.0.2",
          "3.0.2.0",
          "3.0.3",
          "3.0.3.0",
        ],
        "from a contract": [
          "2.0.0",
          "3.0.0",
          "3.0.1",
          "3.0.2",
          "3.0.3",
        ],
        "from and to": [
          "2.0.0",
        ],
        "from or to": [
          "1.0",
          "2.0",
          "2.0.0",
          "2.0.0.0",
          "3.0",
          "3.0.0",
          "3.0.1",
          "3.0.2",
          "3.0.3",
        ],
        "from the sender": [
          "1.0",
          "1.1",
          "2.0",
          "3.0",
        ],
        "to a contract": [
          "1.1",
          "2.0.0",
        ],
        "to nobody": [],
        "to one created": [
          "3.0.0",
          "3.0.2",
        ],
        "to the heir": [
          "3.0.2.0",
          "3.0.3.0",
        ],
      }
    `)
  })

  it('skips `after` frames, and returns `count` frames', async () => {
    const { chain, seal, other } = await startNests()
    await seal('dive', [other, 3n])
    await seal('dive', [other, 3n])
    const all = (await places(chain.standard, {})) as string[]
    expect(all).toHaveLength(10)
    expect(await places(chain.standard, { after: 1, count: 3 })).toEqual(all.slice(1, 4))
    expect(await places(chain.standard, { after: '0x8' })).toEqual(all.slice(8))
    expect(await places(chain.standard, { count: 0 })).toEqual([])
    expect(await places(chain.standard, { after: 10 })).toEqual([])
  })

  it('searches a range of blocks, which on preconf can end in the preconf block', async () => {
    const { chain } = await startScene({ limits: { traceBlockRange: 3 } })
    const find = async (fromBlock?: string, toBlock?: string) => ({
      standard: await places(chain.standard, { fromBlock, toBlock }),
      preconf: await places(chain.preconf, { fromBlock, toBlock }),
    })
    expect({
      'by default': await find(),
      '2 on': await find('0x2'),
      '2 to pending': await find('0x2', 'pending'),
      pending: await find('pending', 'pending'),
      beyond: await find('0x9', '0xa'),
      backwards: await find('0x2', '0x1'),
      'too many': await find('0x0', 'pending'),
    }).toMatchInlineSnapshot(`
      {
        "2 on": {
          "preconf": [
            "2.0",
          ],
          "standard": [
            "2.0",
          ],
        },
        "2 to pending": {
          "preconf": [
            "2.0",
            "3.0",
            "3.1",
            "3.2",
            "3.3",
          ],
          "standard": [
            "2.0",
          ],
        },
        "backwards": {
          "preconf": "error -32602 invalid block range params",
          "standard": "error -32602 invalid block range params",
        },
        "beyond": {
          "preconf": [],
          "standard": [],
        },
        "by default": {
          "preconf": [
            "1.0",
            "1.1",
            "1.2",
            "2.0",
          ],
          "standard": [
            "1.0",
            "1.1",
            "1.2",
            "2.0",
          ],
        },
        "pending": {
          "preconf": [
            "3.0",
            "3.1",
            "3.2",
            "3.3",
          ],
          "standard": [],
        },
        "too many": {
          "preconf": "error -32602 block range too large: 4, limit 3",
          "standard": "error -32602 block range too large: 4, limit 3",
        },
      }
    `)
  })
})
