import { parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { Mortal } from '../../contracts/artifacts.ts'
import { abbreviate } from '../../rpc/scene.ts'
import { word } from '../../words.ts'
import { HEIR, nestCall, startNests } from './nest.ts'

const prestate = { tracer: 'prestateTracer' }
const diff = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }

describe('prestateTracer', () => {
  it('shows all that a transaction touches as it was before, including zero slots and precompiles', async () => {
    const { seal, trace, other } = await startNests()
    const calls = await seal('calls', [other], { value: 100n })
    expect(abbreviate(await trace(calls, prestate))).toMatchInlineSnapshot(`
      {
        "0x0000000000000000000000000000000000000000": {
          "balance": "0x735f00f2cec00",
        },
        "0x5fbdb2315678afecb367f032d93f642f64180aa3": {
          "balance": "0x0",
          "code": "4454 bytes, keccak256 0x69d79044f45464b6",
          "nonce": 1,
          "storage": {
            "0x0000000000000000000000000000000000000000000000000000000000000000": "0x0000000000000000000000000000000000000000000000000000000000000000",
          },
        },
        "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512": {
          "balance": "0x0",
          "code": "4454 bytes, keccak256 0x69d79044f45464b6",
          "nonce": 1,
          "storage": {
            "0x0000000000000000000000000000000000000000000000000000000000000000": "0x0000000000000000000000000000000000000000000000000000000000000000",
          },
        },
        "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
          "balance": "0x21e19d3449895cbc580",
          "nonce": 2,
        },
      }
    `)
    const precompiles = await seal('precompiles', [], { value: 100n })
    expect(abbreviate(await trace(precompiles, prestate))).toMatchInlineSnapshot(`
      {
        "0x0000000000000000000000000000000000000000": {
          "balance": "0x7932bfe854c00",
        },
        "0x0000000000000000000000000000000000000002": {
          "balance": "0x0",
        },
        "0x0000000000000000000000000000000000000004": {
          "balance": "0x0",
        },
        "0x0000000000000000000000000000000000000006": {
          "balance": "0x0",
        },
        "0x000000000000000000000000000000000000dead": {
          "balance": "0x0",
        },
        "0x5fbdb2315678afecb367f032d93f642f64180aa3": {
          "balance": "0x60",
          "code": "4454 bytes, keccak256 0x69d79044f45464b6",
          "nonce": 1,
        },
        "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
          "balance": "0x21e19d29e99881f303c",
          "nonce": 3,
        },
      }
    `)
  })

  it('shows what changed, before and after', async () => {
    const { seal, trace, other, nest } = await startNests()
    const first = await seal('calls', [other], { value: 100n })
    expect(abbreviate(await trace(first, diff))).toMatchInlineSnapshot(`
      {
        "post": {
          "0x0000000000000000000000000000000000000000": {
            "balance": "0x7932bfe854c00",
          },
          "0x5fbdb2315678afecb367f032d93f642f64180aa3": {
            "balance": "0x60",
            "storage": {
              "0x0000000000000000000000000000000000000000000000000000000000000000": "0x0000000000000000000000000000000000000000000000000000000000000009",
            },
          },
          "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512": {
            "balance": "0x4",
            "storage": {
              "0x0000000000000000000000000000000000000000000000000000000000000000": "0x0000000000000000000000000000000000000000000000000000000000000007",
            },
          },
          "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
            "balance": "0x21e19d29e99881f303c",
            "nonce": 3,
          },
        },
        "pre": {
          "0x0000000000000000000000000000000000000000": {
            "balance": "0x735f00f2cec00",
          },
          "0x5fbdb2315678afecb367f032d93f642f64180aa3": {
            "balance": "0x0",
            "code": "4454 bytes, keccak256 0x69d79044f45464b6",
            "nonce": 1,
          },
          "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512": {
            "balance": "0x0",
            "code": "4454 bytes, keccak256 0x69d79044f45464b6",
            "nonce": 1,
          },
          "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
            "balance": "0x21e19d3449895cbc580",
            "nonce": 2,
          },
        },
      }
    `)
    // A cleared slot is in `pre` only.
    const cleared = await seal('leaf', [0n])
    expect(abbreviate(await trace(cleared, diff))).toMatchObject({
      pre: { [nest]: { storage: { [word(0)]: word(9) } } },
      post: { [nest]: {} },
    })
  })

  it('omits contracts that were created and destroyed', async () => {
    const { seal, trace } = await startNests()
    const hash = await seal('creations', [HEIR], { value: 100n })
    expect(abbreviate(await trace(hash, diff))).toMatchInlineSnapshot(`
      {
        "post": {
          "0x0000000000000000000000000000000000000000": {
            "balance": "0x7d346d44d9400",
          },
          "0x00000000000000000000000000000000000e1dad": {
            "balance": "0x5",
          },
          "0x5fbdb2315678afecb367f032d93f642f64180aa3": {
            "balance": "0x5f",
            "nonce": 3,
          },
          "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
            "balance": "0x21e19d22c7747deb294",
            "nonce": 3,
          },
        },
        "pre": {
          "0x0000000000000000000000000000000000000000": {
            "balance": "0x735f00f2cec00",
          },
          "0x00000000000000000000000000000000000e1dad": {
            "balance": "0x0",
          },
          "0x5fbdb2315678afecb367f032d93f642f64180aa3": {
            "balance": "0x0",
            "code": "4454 bytes, keccak256 0x69d79044f45464b6",
            "nonce": 1,
          },
          "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
            "balance": "0x21e19d3449895cbc580",
            "nonce": 2,
          },
        },
      }
    `)
  })

  it('shows a deployment, and one that fails', async () => {
    const { chain, trace, create } = await startNests()
    const receipts = await chain.standard.request({ method: 'eth_getBlockReceipts', params: ['0x1'] })
    expect(abbreviate(await trace(receipts![0]!.transactionHash, diff))).toMatchInlineSnapshot(`
      {
        "post": {
          "0x0000000000000000000000000000000000000000": {
            "balance": "0x39af807967600",
          },
          "0x5fbdb2315678afecb367f032d93f642f64180aa3": {
            "code": "4454 bytes, keccak256 0x69d79044f45464b6",
            "nonce": 1,
          },
          "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
            "balance": "0x21e19da0729a405e2c0",
            "nonce": 1,
          },
        },
        "pre": {
          "0x0000000000000000000000000000000000000000": {
            "balance": "0x0",
          },
          "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
            "balance": "0x21e19e0c9bab2400000",
          },
        },
      }
    `)
    const stillborn = await create('0x60006000fd', { gas: 100_000n })
    expect(abbreviate(await trace(stillborn, prestate))).toMatchInlineSnapshot(`
      {
        "0x0000000000000000000000000000000000000000": {
          "balance": "0x735f00f2cec00",
        },
        "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0": {
          "balance": "0x0",
        },
        "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
          "balance": "0x21e19d3449895cbc580",
          "nonce": 2,
        },
      }
    `)
    expect(abbreviate(await trace(stillborn, diff))).toMatchInlineSnapshot(`
      {
        "post": {
          "0x0000000000000000000000000000000000000000": {
            "balance": "0x76632fc0bbc00",
          },
          "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
            "balance": "0x21e19d2eeab932c40f0",
            "nonce": 3,
          },
        },
        "pre": {
          "0x0000000000000000000000000000000000000000": {
            "balance": "0x735f00f2cec00",
          },
          "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
            "balance": "0x21e19d3449895cbc580",
            "nonce": 2,
          },
        },
      }
    `)
  })

  it.each(['shanghai', 'prague'] as const)(
    'shows a contract of an earlier transaction that destroys itself: %s',
    async (hardfork) => {
      const { seal, create, trace, sender, chain } = await startNests({ hardfork })
      await create(Mortal.bytecode, { value: 7n })
      const receipts = await chain.standard.request({ method: 'eth_getBlockReceipts', params: ['latest'] })
      const mortal = receipts![0]!.contractAddress!
      const data = `0xc9353cb5${HEIR.slice(2).padStart(64, '0')}` as const
      const hash = await seal('word', [], { to: mortal, data, gas: 200_000n })
      const { pre, post } = (await trace(hash, diff)) as {
        pre: Record<string, unknown>
        post: Record<string, unknown>
      }
      const { [sender]: _pre, [`0x${'00'.repeat(20)}`]: _coinbase, ...before } = pre
      const { [sender]: _post, [`0x${'00'.repeat(20)}`]: _tip, ...after } = post
      expect({ before, after }).toEqual({
        before: {
          [HEIR]: { balance: '0x0' },
          [mortal]: { balance: '0x7', nonce: 1, code: Mortal.deployedBytecode },
        },
        // Since EIP-6780 it only loses its ether.
        after: { [HEIR]: { balance: '0x7' }, ...(hardfork === 'prague' && { [mortal]: { balance: '0x0' } }) },
      })
    },
  )

  it('shows authorities and their delegates', async () => {
    const { chain, trace, nest } = await startNests()
    const authority = privateKeyToAccount(chain.accounts[5]!.privateKey)
    const authorization = await authority.signAuthorization({ address: nest, chainId: 31337, nonce: 0 })
    const raw = await privateKeyToAccount(chain.accounts[4]!.privateKey).signTransaction({
      type: 'eip7702',
      chainId: 31337,
      nonce: 0,
      to: authority.address,
      data: nestCall('leaf', [3n]),
      gas: 200_000n,
      maxFeePerGas: parseGwei('10'),
      authorizationList: [authorization],
    })
    const hash = await chain.preconf.request({ method: 'eth_sendRawTransaction', params: [raw] })
    await chain.seal()
    expect(abbreviate(await trace(hash, diff))).toMatchInlineSnapshot(`
      {
        "post": {
          "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65": {
            "balance": "0x21e19e0a05ed3efff06",
            "nonce": 1,
          },
          "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc": {
            "code": "0xef01005fbdb2315678afecb367f032d93f642f64180aa3",
            "nonce": 1,
            "storage": {
              "0x0000000000000000000000000000000000000000000000000000000000000000": "0x0000000000000000000000000000000000000000000000000000000000000003",
            },
          },
        },
        "pre": {
          "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65": {
            "balance": "0x21e19e0c9bab2400000",
          },
          "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc": {
            "balance": "0x21e19e0c9bab2400000",
          },
        },
      }
    `)
  })

  it('omits code and storage on request', async () => {
    const { seal, trace, other } = await startNests()
    const hash = await seal('calls', [other], { value: 100n })
    const config = { disableCode: true, disableStorage: true }
    const plain = await trace(hash, { ...prestate, tracerConfig: config })
    const changes = await trace(hash, { ...prestate, tracerConfig: { ...config, diffMode: true } })
    expect({ plain, changes }).toMatchInlineSnapshot(`
      {
        "changes": {
          "post": {
            "0x0000000000000000000000000000000000000000": {
              "balance": "0x7932bfe854c00",
            },
            "0x5fbdb2315678afecb367f032d93f642f64180aa3": {
              "balance": "0x60",
            },
            "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512": {
              "balance": "0x4",
            },
            "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
              "balance": "0x21e19d29e99881f303c",
              "nonce": 3,
            },
          },
          "pre": {
            "0x0000000000000000000000000000000000000000": {
              "balance": "0x735f00f2cec00",
            },
            "0x5fbdb2315678afecb367f032d93f642f64180aa3": {
              "balance": "0x0",
              "nonce": 1,
            },
            "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512": {
              "balance": "0x0",
              "nonce": 1,
            },
            "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
              "balance": "0x21e19d3449895cbc580",
              "nonce": 2,
            },
          },
        },
        "plain": {
          "0x0000000000000000000000000000000000000000": {
            "balance": "0x735f00f2cec00",
          },
          "0x5fbdb2315678afecb367f032d93f642f64180aa3": {
            "balance": "0x0",
            "nonce": 1,
          },
          "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512": {
            "balance": "0x0",
            "nonce": 1,
          },
          "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266": {
            "balance": "0x21e19d3449895cbc580",
            "nonce": 2,
          },
        },
      }
    `)
  })
})
