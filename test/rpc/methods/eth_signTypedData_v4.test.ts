import { createWalletClient, custom } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask, askBoth } from '../scene.ts'

const PERSON = { name: 'name', type: 'string' } as const
const TYPED = {
  types: {
    EIP712Domain: [{ name: 'chainId', type: 'uint256' }],
    Person: [PERSON, { name: 'friends', type: 'Person[]' }],
  },
  primaryType: 'Person',
  domain: { chainId: 1n },
  message: { name: 'Zoë', friends: [{ name: 'Bob', friends: [] }] },
} as const

const JSON_TYPED = { ...TYPED, domain: { chainId: 1 } }

async function start() {
  const chain = await startChain()
  const { address, privateKey } = chain.accounts[0]!
  return { chain, address, local: privateKeyToAccount(privateKey) }
}

describe('eth_signTypedData_v4', () => {
  it('signs an object or its JSON, also with recursive types', async () => {
    const { chain, address, local } = await start()
    const signature = await local.signTypedData(TYPED)
    expect(await askBoth(chain, 'eth_signTypedData_v4', [address, JSON_TYPED])).toEqual({ both: signature })
    expect(await ask(chain.preconf, 'eth_signTypedData_v4', [address, JSON.stringify(JSON_TYPED)])).toBe(
      signature,
    )
  })

  it('ignores fields without a type, and accepts numbers in any form', async () => {
    const { chain, address, local } = await start()
    const signature = await local.signTypedData(TYPED)
    for (const chainId of ['1', '0x1', 1n]) {
      const { domain, message, ...rest } = TYPED
      const more = { ...rest, domain: { ...domain, chainId, name: 'x' }, message: { ...message, age: 5 } }
      expect(await ask(chain.preconf, 'eth_signTypedData_v4', [address, more])).toBe(signature)
    }
  })

  it('derives the type of the domain if it is omitted', async () => {
    const { chain, address, local } = await start()
    const { EIP712Domain: _, ...types } = TYPED.types
    const signature = await local.signTypedData({ ...TYPED, types })
    expect(await ask(chain.preconf, 'eth_signTypedData_v4', [address, { ...TYPED, types }])).toBe(signature)
  })

  it('signs the domain alone if that is the primary type, as viem does', async () => {
    const { chain, address, local } = await start()
    const { types, domain } = TYPED
    const typed = { types, primaryType: 'EIP712Domain', domain } as const
    const signature = await local.signTypedData(typed)
    const { EIP712Domain: _, ...others } = types
    const json = { ...typed, domain: JSON_TYPED.domain }
    for (const request of [
      json,
      JSON.stringify(json),
      { ...json, message: {} },
      { ...json, message: JSON_TYPED.message },
      { ...json, types: others },
      { ...json, types: {} },
    ]) {
      expect(await ask(chain.preconf, 'eth_signTypedData_v4', [address, request])).toBe(signature)
    }
    const wallet = createWalletClient({ account: address, transport: custom(chain.preconf) })
    expect(await wallet.signTypedData(typed)).toBe(signature)
  })

  it('refuses invalid typed data, and accounts without a key', async () => {
    const { chain, address } = await start()
    const refuse = (typed: unknown, account: string = address) =>
      ask(chain.preconf, 'eth_signTypedData_v4', [account, typed])
    const circular = { name: 'me', friends: [] as unknown[] }
    circular.friends.push(circular)
    const typed = (type: string, value: unknown) => ({
      ...TYPED,
      types: { ...TYPED.types, Person: [{ name: 'value', type }] },
      message: { value },
    })
    expect({
      'no JSON': await refuse('{'),
      'JSON of something else': await refuse('1'),
      nothing: await refuse(undefined),
      'no types': await refuse({ ...TYPED, types: undefined }),
      'a field without a type': await refuse({ ...TYPED, types: { Person: [{ name: 'name' }] } }),
      'no message': await refuse({ ...TYPED, message: undefined }),
      'a domain that is none': await refuse({
        ...TYPED,
        primaryType: 'EIP712Domain',
        domain: { chainId: 'x' },
      }),
      'an unknown primary type': await refuse({ ...TYPED, primaryType: 'Group' }),
      'a primary type that every object has': await refuse({ ...TYPED, primaryType: 'constructor' }),
      'an unknown type of a field': await refuse(typed('Group', {})),
      'a type that is none': await refuse(typed('uint7', 1)),
      'a number out of range': await refuse(typed('uint8', 256)),
      'a word that is no number': await refuse(typed('uint8', 'one')),
      'bytes of another length': await refuse(typed('bytes4', '0x01')),
      'a struct that is none': await refuse({ ...TYPED, message: { name: 'Zoë', friends: [1] } }),
      'a field that is missing': await refuse({ ...TYPED, message: { friends: [] } }),
      'a missing field that every object has': await refuse({
        ...TYPED,
        types: { ...TYPED.types, Person: [{ name: 'constructor', type: 'string' }] },
      }),
      'a message without end': await refuse({ ...TYPED, message: circular }),
      'an unknown account': await refuse(TYPED, `0x${'99'.repeat(20)}`),
    }).toMatchInlineSnapshot(`
      {
        "JSON of something else": "error -32602 invalid argument 1: expected an object",
        "a domain that is none": "error -32602 invalid typed data: Cannot convert x to a BigInt",
        "a field that is missing": "error -32602 invalid typed data: name is missing",
        "a field without a type": "error -32602 invalid argument 1.types.Person[0].type: expected a string",
        "a message without end": "error -32602 invalid typed data: EIP712: message too deep, limit is 64",
        "a missing field that every object has": "error -32602 invalid typed data: constructor is missing",
        "a number out of range": "error -32602 invalid typed data: Writer(): value out of unsigned bounds. Expected 0 <= 256 < 256",
        "a primary type that every object has": "error -32602 invalid typed data: wrong primaryType",
        "a struct that is none": "error -32602 invalid typed data: encoding non-object as custom type Person",
        "a type that is none": "error -32602 invalid typed data: parseType: invalid numeric type",
        "a word that is no number": "error -32602 invalid typed data: Cannot convert one to a BigInt",
        "an unknown account": "error 4100 unknown account 0x9999999999999999999999999999999999999999",
        "an unknown primary type": "error -32602 invalid typed data: wrong primaryType",
        "an unknown type of a field": "error -32602 invalid typed data: getDependencies: wrong struct type name=Group",
        "bytes of another length": "error -32602 invalid typed data: Writer(): Wrong length: 4 len=4 exp=1 (number)",
        "no JSON": "error -32602 invalid argument 1: expected JSON",
        "no message": "error -32602 invalid typed data: message is missing",
        "no types": "error -32602 invalid argument 1.types: expected an object",
        "nothing": "error -32602 invalid argument count: expected 2, got 1",
      }
    `)
  })
})
