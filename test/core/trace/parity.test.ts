import { describe, expect, it } from 'vitest'
import type { ParityFrame } from '../../../src/core/trace/shapes.ts'
import type { Hash } from '../../../src/index.ts'
import { abbreviate } from '../../rpc/scene.ts'
import { HEIR, type Nests, startNests } from './nest.ts'

/** The traces of a transaction without the fields that are equal in all of them. */
async function frames({ chain }: Nests, hash: Hash): Promise<unknown> {
  const traces = await chain.standard.request({ method: 'trace_transaction', params: [hash] })
  return abbreviate(
    traces!.map(({ blockHash, blockNumber, transactionHash, transactionPosition, ...frame }) => frame),
  )
}

describe('parity', () => {
  it('shows calls of every kind', async () => {
    const nests = await startNests()
    expect(
      await frames(nests, await nests.seal('calls', [nests.other], { value: 100n })),
    ).toMatchInlineSnapshot(`
      [
        {
          "action": {
            "callType": "call",
            "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
            "gas": "0x2d7308",
            "input": "0x7155afca000000000000000000000000e7f1725e7734ce288f8367e1bb143e90bb3f0512",
            "to": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "value": "0x64",
          },
          "result": {
            "gasUsed": "0x13cb8",
            "output": "0x",
          },
          "subtraces": 5,
          "traceAddress": [],
          "type": "call",
        },
        {
          "action": {
            "callType": "call",
            "from": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "gas": "0x2c9002",
            "input": "0xf472a58a0000000000000000000000000000000000000000000000000000000000000007",
            "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
            "value": "0x1",
          },
          "result": {
            "gasUsed": "0x5ff5",
            "output": "0x0000000000000000000000000000000000000000000000000000000000000008",
          },
          "subtraces": 0,
          "traceAddress": [
            0,
          ],
          "type": "call",
        },
        {
          "action": {
            "callType": "staticcall",
            "from": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "gas": "0x2c3012",
            "input": "0x59e02dd7",
            "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
            "value": "0x0",
          },
          "result": {
            "gasUsed": "0x146",
            "output": "0x0000000000000000000000000000000000000000000000000000000000000007",
          },
          "subtraces": 0,
          "traceAddress": [
            1,
          ],
          "type": "call",
        },
        {
          "action": {
            "callType": "delegatecall",
            "from": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "gas": "0x2c2beb",
            "input": "0xf472a58a0000000000000000000000000000000000000000000000000000000000000008",
            "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
            "value": "0x64",
          },
          "result": {
            "gasUsed": "0x5ff5",
            "output": "0x0000000000000000000000000000000000000000000000000000000000000009",
          },
          "subtraces": 0,
          "traceAddress": [
            2,
          ],
          "type": "call",
        },
        {
          "action": {
            "callType": "callcode",
            "from": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "gas": "0x2bb221",
            "input": "0xf472a58a0000000000000000000000000000000000000000000000000000000000000009",
            "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
            "value": "0x2",
          },
          "result": {
            "gasUsed": "0xa05",
            "output": "0x000000000000000000000000000000000000000000000000000000000000000a",
          },
          "subtraces": 0,
          "traceAddress": [
            3,
          ],
          "type": "call",
        },
        {
          "action": {
            "callType": "call",
            "from": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "gas": "0x8fc",
            "input": "0x",
            "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
            "value": "0x3",
          },
          "result": {
            "gasUsed": "0x37",
            "output": "0x",
          },
          "subtraces": 0,
          "traceAddress": [
            4,
          ],
          "type": "call",
        },
      ]
    `)
  })

  it('shows creations, and selfdestructs as suicides', async () => {
    const nests = await startNests()
    expect(
      await frames(nests, await nests.seal('creations', [HEIR], { value: 100n })),
    ).toMatchInlineSnapshot(`
      [
        {
          "action": {
            "callType": "call",
            "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
            "gas": "0x2d73d4",
            "input": "0x3b28d57700000000000000000000000000000000000000000000000000000000000e1dad",
            "to": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "value": "0x64",
          },
          "result": {
            "gasUsed": "0x250d8",
            "output": "0x000000000000000000000000a16e02e87b7454126e5e10d957a927a7f5b5d2be0000000000000000000000001d8c26b539c2a1b06af51bbebd7feb7c45d76fd6",
          },
          "subtraces": 4,
          "traceAddress": [],
          "type": "call",
        },
        {
          "action": {
            "creationMethod": "create",
            "from": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "gas": "0x2c4133",
            "init": "137 bytes, keccak256 0xf4de8cb40a1e400c",
            "value": "0x5",
          },
          "result": {
            "address": "0xa16e02e87b7454126e5e10d957a927a7f5b5d2be",
            "code": "120 bytes, keccak256 0x41f4bed26b82f64b",
            "gasUsed": "0x5df3",
          },
          "subtraces": 0,
          "traceAddress": [
            0,
          ],
          "type": "create",
        },
        {
          "action": {
            "creationMethod": "create2",
            "from": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "gas": "0x2b68f5",
            "init": "137 bytes, keccak256 0xf4de8cb40a1e400c",
            "value": "0x0",
          },
          "result": {
            "address": "0x1d8c26b539c2a1b06af51bbebd7feb7c45d76fd6",
            "code": "120 bytes, keccak256 0x41f4bed26b82f64b",
            "gasUsed": "0x5df3",
          },
          "subtraces": 0,
          "traceAddress": [
            1,
          ],
          "type": "create",
        },
        {
          "action": {
            "callType": "call",
            "from": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "gas": "0x2b0b05",
            "input": "0xc9353cb500000000000000000000000000000000000000000000000000000000000e1dad",
            "to": "0xa16e02e87b7454126e5e10d957a927a7f5b5d2be",
            "value": "0x0",
          },
          "result": {
            "gasUsed": "0x8059",
            "output": "0x",
          },
          "subtraces": 1,
          "traceAddress": [
            2,
          ],
          "type": "call",
        },
        {
          "action": {
            "address": "0xa16e02e87b7454126e5e10d957a927a7f5b5d2be",
            "balance": "0x5",
            "refundAddress": "0x00000000000000000000000000000000000e1dad",
          },
          "result": null,
          "subtraces": 0,
          "traceAddress": [
            2,
            0,
          ],
          "type": "suicide",
        },
        {
          "action": {
            "callType": "call",
            "from": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "gas": "0x2a8b45",
            "input": "0xc9353cb500000000000000000000000000000000000000000000000000000000000e1dad",
            "to": "0x1d8c26b539c2a1b06af51bbebd7feb7c45d76fd6",
            "value": "0x0",
          },
          "result": {
            "gasUsed": "0x1489",
            "output": "0x",
          },
          "subtraces": 1,
          "traceAddress": [
            3,
          ],
          "type": "call",
        },
        {
          "action": {
            "address": "0x1d8c26b539c2a1b06af51bbebd7feb7c45d76fd6",
            "balance": "0x0",
            "refundAddress": "0x00000000000000000000000000000000000e1dad",
          },
          "result": null,
          "subtraces": 0,
          "traceAddress": [
            3,
            0,
          ],
          "type": "suicide",
        },
      ]
    `)
  })

  it('words failures as Parity does, with results only for reverts', async () => {
    const nests = await startNests()
    const hash = await nests.seal('failures', [nests.other], { value: 100n })
    const shown = (await frames(nests, hash)) as ParityFrame[]
    expect(shown.map(({ type, error, result }) => [type, error, result])).toMatchInlineSnapshot(`
      [
        [
          "call",
          undefined,
          {
            "gasUsed": "0x2d450d",
            "output": "0x",
          },
        ],
        [
          "call",
          "Reverted",
          {
            "gasUsed": "0x94f",
            "output": "0x590a5151000000000000000000000000000000000000000000000000000000000000002a",
          },
        ],
        [
          "call",
          "Reverted",
          {
            "gasUsed": "0x144",
            "output": "100 bytes, keccak256 0x249eaeb4a2c94ae0",
          },
        ],
        [
          "call",
          "Reverted",
          {
            "gasUsed": "0x17f",
            "output": "0x4e487b710000000000000000000000000000000000000000000000000000000000000012",
          },
        ],
        [
          "call",
          "Out of gas",
          null,
        ],
        [
          "call",
          "Bad instruction",
          null,
        ],
        [
          "call",
          "Insufficient balance for transfer",
          null,
        ],
        [
          "call",
          "Mutable Call In Static Context",
          null,
        ],
        [
          "create",
          "Reverted",
          {
            "address": "0xa16e02e87b7454126e5e10d957a927a7f5b5d2be",
            "code": "100 bytes, keccak256 0x52449a8e399b5e4c",
            "gasUsed": "0x99",
          },
        ],
      ]
    `)
  })

  it('omits calls of precompiles without ether, except in flatCallTracer on request', async () => {
    const nests = await startNests()
    const { seal, trace } = nests
    const hash = await seal('precompiles', [], { value: 100n })
    const receivers = (traces: unknown) =>
      (traces as ParityFrame[]).map(({ action, traceAddress, error }) => [
        'to' in action ? action.to : '',
        traceAddress.join(),
        error,
      ])
    expect(receivers(await frames(nests, hash))).toMatchInlineSnapshot(`
      [
        [
          "0x5fbdb2315678afecb367f032d93f642f64180aa3",
          "",
          undefined,
        ],
        [
          "0x0000000000000000000000000000000000000004",
          "0",
          undefined,
        ],
        [
          "0x000000000000000000000000000000000000dead",
          "1",
          undefined,
        ],
      ]
    `)
    const flat = { tracer: 'flatCallTracer' }
    const options = { ...flat, tracerConfig: { includePrecompiles: true } }
    expect(receivers(await trace(hash, options))).toMatchInlineSnapshot(`
      [
        [
          "0x5fbdb2315678afecb367f032d93f642f64180aa3",
          "",
          undefined,
        ],
        [
          "0x0000000000000000000000000000000000000002",
          "0",
          undefined,
        ],
        [
          "0x0000000000000000000000000000000000000004",
          "1",
          undefined,
        ],
        [
          "0x000000000000000000000000000000000000dead",
          "2",
          undefined,
        ],
        [
          "0x0000000000000000000000000000000000000006",
          "3",
          "precompiled failed",
        ],
      ]
    `)
    const converted = await trace(hash, { ...flat, tracerConfig: { convertParityErrors: true } })
    const { chain } = nests
    expect(converted).toEqual(await chain.standard.request({ method: 'trace_transaction', params: [hash] }))
  })
})
