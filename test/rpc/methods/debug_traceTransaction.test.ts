import { describe, expect, it } from 'vitest'
import { viemOn } from '../../harness.ts'
import { askBoth, startScene, UNKNOWN } from '../scene.ts'

describe('debug_traceTransaction', () => {
  it('traces what each view shows: sealed transactions on both, pre-confirmed ones on preconf', async () => {
    const { chain, first, preconfBlock, waiting, queued } = await startScene()
    const noop = { tracer: 'noopTracer' }
    const [transfer] = first.block.transactions.slice(2)
    expect({
      sealed: await askBoth(chain, 'debug_traceTransaction', [transfer!.hash, { tracer: 'callTracer' }]),
      'pre-confirmed': await askBoth(chain, 'debug_traceTransaction', [
        preconfBlock.block.transactions[3]!.hash,
        { tracer: 'callTracer' },
      ]),
      waiting: await askBoth(chain, 'debug_traceTransaction', [waiting, noop]),
      queued: await askBoth(chain, 'debug_traceTransaction', [queued, noop]),
      unknown: await askBoth(chain, 'debug_traceTransaction', [UNKNOWN, noop]),
    }).toMatchInlineSnapshot(`
      {
        "pre-confirmed": {
          "preconf": {
            "error": "execution reverted",
            "from": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
            "gas": "0x186a0",
            "gasUsed": "0x536e",
            "input": "0xa9cc4718",
            "output": "0x63a2a81f000000000000000000000000000000000000000000000000000000000000002a",
            "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
            "type": "CALL",
            "value": "0x0",
          },
          "standard": "error -32000 transaction not found",
        },
        "queued": {
          "both": "error -32000 transaction not found",
        },
        "sealed": {
          "both": {
            "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
            "gas": "0x2dc6c0",
            "gasUsed": "0x66fca",
            "input": "1738 bytes, keccak256 0xda37204b4397bbc1",
            "output": "1707 bytes, keccak256 0xb0e1c9db8399db24",
            "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
            "type": "CREATE",
            "value": "0x0",
          },
        },
        "unknown": {
          "both": "error -32000 transaction not found",
        },
        "waiting": {
          "both": "error -32000 transaction not found",
        },
      }
    `)
  })

  it('returns the same trace before and after the seal', async () => {
    const { chain, preconfBlock } = await startScene()
    const trace = (hash: `0x${string}`) =>
      Promise.all(
        [{}, { tracer: 'callTracer' }, { tracer: 'prestateTracer' }].map((options) =>
          chain.preconf.request({ method: 'debug_traceTransaction', params: [hash, options] }),
        ),
      )
    const hashes = preconfBlock.block.transactions.map(({ hash }) => hash)
    const before = await Promise.all(hashes.map(trace))
    await chain.seal()
    expect(await Promise.all(hashes.map(trace))).toEqual(before)
  })

  it('accepts and ignores timeout and reexec', async () => {
    const { chain, second } = await startScene()
    const { hash } = second.block.transactions[0]!
    const answer = (options: object) =>
      chain.standard.request({ method: 'debug_traceTransaction', params: [hash, options] })
    expect(await answer({ timeout: '5s', reexec: 128, tracer: '4byteTracer' })).toEqual(
      await answer({ tracer: '4byteTracer' }),
    )
  })

  it('works through a viem client', async () => {
    const { chain, second } = await startScene()
    const { hash } = second.block.transactions[0]!
    const client = viemOn(chain).public
    const trace = await client.request<{ Method: string; Parameters: unknown; ReturnType: unknown }>({
      method: 'debug_traceTransaction',
      params: [hash, { tracer: '4byteTracer' }],
    })
    expect(trace).toEqual({ '0xa9059cbb-64': 1 })
  })
})
