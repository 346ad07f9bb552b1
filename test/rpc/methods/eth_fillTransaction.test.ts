import { fromRlp, type Hex, keccak256, parseGwei, parseTransaction, toRlp } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import type { PresealRpcFilledTransaction, Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask, askAll, askBoth, probeCall, type Scene, send, startScene } from '../scene.ts'

async function fill(provider: Provider, transaction: object): Promise<PresealRpcFilledTransaction> {
  return provider.request({ method: 'eth_fillTransaction', params: [{ ...transaction }] })
}

/** The filled transaction, which is the same on both views. */
async function both({ chain }: Scene, transaction: object): Promise<PresealRpcFilledTransaction> {
  const filled = await fill(chain.standard, transaction)
  expect(await fill(chain.preconf, transaction)).toEqual(filled)
  return filled
}

describe('eth_fillTransaction', () => {
  it('fills in everything but the signature', async () => {
    const scene = await startScene()
    const { accounts, preconfBlock } = scene
    const [, , , , from, to] = accounts
    const baseFee = BigInt(preconfBlock.block.baseFeePerGas!)
    const filled = await both(scene, { from, to, value: '0x5' })
    const tip = parseGwei('1')
    expect(filled.tx).toEqual({
      type: '0x2',
      chainId: '0x7a69',
      from,
      to,
      nonce: '0x0',
      value: '0x5',
      gas: '0x5208',
      gasPrice: null,
      maxPriorityFeePerGas: `0x${tip.toString(16)}`,
      maxFeePerGas: `0x${(2n * baseFee + tip).toString(16)}`,
      input: '0x',
      accessList: [],
      v: '0x0',
      r: '0x0',
      s: '0x0',
      yParity: '0x0',
      hash: keccak256(filled.raw),
    })
  })

  it('encodes the filled transaction, for every type', async () => {
    const scene = await startScene()
    const { chain, accounts, probe } = scene
    const from = accounts[4]
    const data = probeCall('set', [1n, 2n])
    const accessList = [{ address: probe, storageKeys: [`0x${'1'.padStart(64, '0')}`] }]
    const delegate = { chainId: 31337, nonce: 0, address: probe }
    const signed = await privateKeyToAccount(chain.accounts[6]!.privateKey).signAuthorization(delegate)
    const authorization = {
      chainId: '0x7a69',
      nonce: '0x0',
      address: probe,
      yParity: `0x${signed.yParity}`,
      r: signed.r,
      s: signed.s,
    }
    const base = { from, to: probe, data }
    const types: unknown[] = []
    for (const fields of [
      { gasPrice: '0x2540be400' },
      { type: '0x0' },
      { gasPrice: '0x2540be400', accessList },
      { type: '0x1' },
      {},
      { accessList },
      { maxFeePerGas: '0x2540be400' },
      { maxPriorityFeePerGas: '0x1' },
      { authorizationList: [authorization] },
    ]) {
      const { tx, raw } = await both(scene, { ...base, ...fields })
      const read = parseTransaction(unsigned(raw))
      const number = (value: Hex | null | undefined) => (value == null ? undefined : BigInt(value))
      expect(keccak256(raw)).toBe(tx.hash)
      expect({
        to: read.to,
        data: read.data,
        nonce: read.nonce ?? 0,
        gas: read.gas,
        gasPrice: read.gasPrice,
        maxFeePerGas: read.maxFeePerGas,
        maxPriorityFeePerGas: read.maxPriorityFeePerGas,
        keys: (read.accessList ?? []).flatMap(({ storageKeys }) => storageKeys),
        authorizations: read.authorizationList?.map(({ address, r }) => [address, r]),
      }).toEqual({
        to: probe,
        data,
        nonce: Number(tx.nonce),
        gas: number(tx.gas),
        gasPrice: number(tx.gasPrice),
        maxFeePerGas: number(tx.maxFeePerGas),
        maxPriorityFeePerGas: number(tx.maxPriorityFeePerGas),
        keys: (tx.accessList ?? []).flatMap(({ storageKeys }) => storageKeys),
        authorizations: tx.authorizationList?.map(({ address, r }) => [address, r]),
      })
      expect(tx).toMatchObject(fields)
      types.push(tx.type)
    }
    expect(types).toEqual(['0x0', '0x0', '0x1', '0x1', '0x2', '0x2', '0x2', '0x2', '0x4'])
  })

  it('takes the nonce after pre-confirmed and waiting transactions, on both views', async () => {
    const scene = await startScene()
    const { chain, accounts } = scene
    const nonces = async () => {
      const filled = await Promise.all(
        [0, 1, 2, 3].map((i) => both(scene, { from: accounts[i], to: accounts[9] })),
      )
      return filled.map(({ tx }) => Number(tx.nonce))
    }
    // The preconf block has transactions of accounts 0 and 1; one of account 2 waits, and one of 3 behind a gap.
    expect(await nonces()).toEqual([5, 3, 1, 0])
    await send(chain, 3, { nonce: 0, to: accounts[0]! })
    expect(await nonces()).toEqual([5, 3, 1, 2])
    await chain.seal()
    expect(await nonces()).toEqual([5, 3, 1, 2])
  })

  it('estimates on the pending block', async () => {
    const { chain, accounts, probe } = await startScene()
    // The preconf block set slot 7 to 9 already: setting it to that again is cheap.
    const transaction = { from: accounts[4], to: probe, data: probeCall('set', [7n, 9n]) }
    const [standard, preconf] = await Promise.all([
      fill(chain.standard, transaction),
      fill(chain.preconf, transaction),
    ])
    for (const [provider, { tx }] of [
      [chain.standard, standard],
      [chain.preconf, preconf],
    ] as const) {
      expect(tx.gas).toBe(
        await provider.request({ method: 'eth_estimateGas', params: [transaction, 'pending'] }),
      )
    }
    expect(BigInt(standard.tx.gas) - BigInt(preconf.tx.gas)).toBeGreaterThan(15_000n)
  })

  it('keeps given fields, and executes nothing if the gas is given', async () => {
    const scene = await startScene()
    const given = {
      from: scene.accounts[4],
      to: scene.probe,
      nonce: '0x63',
      gas: '0x7530',
      maxFeePerGas: '0x5',
      maxPriorityFeePerGas: '0x4',
      value: '0x1',
      input: probeCall('fail'),
      chainId: '0x7a69',
    }
    expect((await both(scene, given)).tx).toMatchObject(given)
  })

  it('returns a transaction that can be signed and sent unchanged', async () => {
    const { chain, accounts, probe } = await startScene()
    const { tx } = await fill(chain.preconf, {
      from: accounts[4],
      to: probe,
      data: probeCall('set', [2n, 3n]),
    })
    const raw = await privateKeyToAccount(chain.accounts[4]!.privateKey).signTransaction({
      type: 'eip1559',
      chainId: Number(tx.chainId),
      nonce: Number(tx.nonce),
      to: tx.to,
      data: tx.input,
      gas: BigInt(tx.gas),
      maxFeePerGas: BigInt(tx.maxFeePerGas!),
      maxPriorityFeePerGas: BigInt(tx.maxPriorityFeePerGas!),
    })
    await chain.preconf.request({ method: 'eth_sendRawTransaction', params: [raw] })
    const { receipts } = await chain.tick()
    expect(receipts.filter((one) => one.from === accounts[4])).toMatchObject([{ status: '0x1' }])
  })

  it('refuses conflicting fields, blobs, and transactions that cannot be estimated', async () => {
    const { chain, accounts, probe } = await startScene()
    const [from, to] = accounts
    const transfer = { from, to }
    expect(
      await askAll(chain, 'eth_fillTransaction', {
        'two kinds of fees': [{ ...transfer, gasPrice: '0x1', maxFeePerGas: '0x1' }],
        'a type without its fee': [{ ...transfer, type: '0x2', gasPrice: '0x1' }],
        'a type without access lists': [{ ...transfer, type: '0x0', accessList: [] }],
        'an unknown type': [{ ...transfer, type: '0x5' }],
        'a blob transaction': [{ ...transfer, type: '0x3' }],
        'blob hashes': [{ ...transfer, blobVersionedHashes: [`0x01${'11'.repeat(31)}`] }],
        'a blob fee': [{ ...transfer, maxFeePerBlobGas: '0x1' }],
        'a tip above the fee': [{ ...transfer, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }],
        'no authorisation': [{ ...transfer, type: '0x4' }],
        'an authorised creation': [{ from, data: '0x00', authorizationList: [] }],
        'nothing to create': [{ from }],
        'another chain': [{ ...transfer, chainId: '0x1' }],
        'a revert': [{ from, to: probe, data: probeCall('fail') }],
        'more than there is': [{ ...transfer, value: `0x1${'0'.repeat(30)}` }],
        'a sender without ether': [{ from: `0x${'ee'.repeat(20)}`, to }],
      }),
    ).toMatchInlineSnapshot(`
      {
        "a blob fee": {
          "both": "error -32602 invalid argument 0.maxFeePerBlobGas: expected no value: blob transactions cannot be filled in",
        },
        "a blob transaction": {
          "both": "error -32602 invalid argument 0.type: expected 0x0, 0x1, 0x2 or 0x4",
        },
        "a revert": {
          "both": "error -32000 execution reverted "0x63a2a81f000000000000000000000000000000000000000000000000000000000000002a"",
        },
        "a sender without ether": {
          "both": "error -32000 insufficient funds for gas * price + value",
        },
        "a tip above the fee": {
          "both": "error -32000 max priority fee per gas higher than max fee per gas",
        },
        "a type without access lists": {
          "both": {
            "raw": "0xe3058463df142a8252089470997970c51812dc3a010c7d01b50e0d17dc79c88080808080",
            "tx": {
              "chainId": "0x7a69",
              "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
              "gas": "0x5208",
              "gasPrice": "0x63df142a",
              "hash": "0xaab59409e5a9f4391660fecc57f5f0b58468f236b6d7513991ecd77e8aa2b083",
              "input": "0x",
              "maxFeePerGas": null,
              "maxPriorityFeePerGas": null,
              "nonce": "0x5",
              "r": "0x0",
              "s": "0x0",
              "to": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
              "type": "0x0",
              "v": "0x0",
              "value": "0x0",
            },
          },
        },
        "a type without its fee": {
          "both": "error -32602 invalid argument 0.gasPrice: expected no value in a transaction of type 2",
        },
        "an authorised creation": {
          "both": "error -32000 EIP-7702 transaction cannot be used to create contract",
        },
        "an unknown type": {
          "both": "error -32602 invalid argument 0.type: expected 0x0, 0x1, 0x2 or 0x4",
        },
        "another chain": {
          "both": "error -32602 invalid argument 0.chainId: expected this chain's id (31337)",
        },
        "blob hashes": {
          "both": "error -32602 invalid argument 0.blobVersionedHashes: expected no value: blob transactions cannot be filled in",
        },
        "more than there is": {
          "both": "error -32000 insufficient funds for gas * price + value",
        },
        "no authorisation": {
          "both": "error -32000 EIP-7702 transaction with empty auth list",
        },
        "nothing to create": {
          "both": "error -32602 invalid argument 0.data: expected init code if to is missing",
        },
        "two kinds of fees": {
          "both": "error -32602 invalid argument 0.maxFeePerGas: expected no value if gasPrice is given",
        },
      }
    `)
    expect(await ask(chain.standard, 'eth_fillTransaction', [])).toBe(
      'error -32602 invalid argument count: expected 1, got 0',
    )
  })

  it('fills in a gas price for a type without a fee market', async () => {
    const scene = await startScene()
    const [from, to] = scene.accounts
    const { tx } = await both(scene, { from, to, type: '0x0' })
    expect([tx.gasPrice, tx.maxFeePerGas, tx.maxPriorityFeePerGas]).toEqual([
      await ask(scene.chain.standard, 'eth_gasPrice'),
      null,
      null,
    ])
  })

  it('refuses types that the hardfork does not have', async () => {
    const { chain, accounts } = await startScene({ hardfork: 'paris' })
    const authorization = {
      chainId: '0x0',
      nonce: '0x0',
      address: accounts[0],
      yParity: '0x0',
      r: '0x1',
      s: '0x1',
    }
    const transaction = { from: accounts[0], to: accounts[1], authorizationList: [authorization] }
    expect(await askBoth(chain, 'eth_fillTransaction', [transaction])).toEqual({
      both: 'error -32000 transaction type not supported',
    })
  })
})

/** The envelope without the three empty signature fields, which viem would parse as a signature. */
function unsigned(raw: Hex): Hex {
  const type = raw.startsWith('0x0') ? raw.slice(2, 4) : ''
  const fields = fromRlp(`0x${raw.slice(2 + type.length)}`, 'hex') as Hex[]
  return `0x${type}${toRlp(fields.slice(0, -3)).slice(2)}`
}

describe('the option gasPrice', () => {
  const PRICE = '0x77359400'
  it.each<[string, object, object]>([
    ['no fee', {}, { type: '0x0', gasPrice: PRICE }],
    ['an access list', { accessList: [] }, { type: '0x1', gasPrice: PRICE }],
    ['a type without a gas price', { type: '0x2' }, { maxFeePerGas: PRICE, maxPriorityFeePerGas: PRICE }],
    ['its own gas price', { gasPrice: '0x77359409' }, { type: '0x0', gasPrice: '0x77359409' }],
    ['its own fee cap', { maxFeePerGas: '0xffffffffff' }, { type: '0x2', maxFeePerGas: '0xffffffffff' }],
    ['its own tip', { maxPriorityFeePerGas: '0x3' }, { type: '0x2', maxPriorityFeePerGas: '0x3' }],
  ])('fills in a transaction with %s', async (_name, fields, expected) => {
    const { standard, accounts } = await startChain({ gasPrice: BigInt(PRICE) })
    const { tx } = await fill(standard, { from: accounts[0]!.address, to: accounts[1]!.address, ...fields })
    expect(tx).toMatchObject(expected)
  })

  it('is the price of transactions of dev accounts, whatever their type', async () => {
    const chain = await startChain({ gasPrice: BigInt(PRICE) })
    const [from, to] = chain.accounts.map(({ address }) => address)
    for (const type of [undefined, '0x2'] as const) {
      const params = [{ from: from!, to: to!, ...(type && { type }) }] as const
      await chain.standard.request({ method: 'eth_sendTransaction', params: [...params] })
    }
    const { receipts } = await chain.seal()
    expect(receipts.map(({ effectiveGasPrice }) => effectiveGasPrice)).toEqual([PRICE, PRICE])
  })
})
