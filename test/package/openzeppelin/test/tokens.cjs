/** ERC20 with its extensions, ERC4626, ERC721 and ERC1155. */
const { loadFixture, mine, setBalance, time } = require('@nomicfoundation/hardhat-network-helpers')
const { anyValue } = require('@nomicfoundation/hardhat-chai-matchers/withArgs')
const { expect } = require('chai')
const { ethers } = require('hardhat')

const ZERO = ethers.ZeroAddress
const CAP = 1_000_000n
const SUPPLY = 1_000n

async function deployToken() {
  const [owner, alice, bob, carol] = await ethers.getSigners()
  const token = await ethers.deployContract('Token', [CAP])
  await token.mint(owner, SUPPLY)
  return { owner, alice, bob, carol, token }
}

describe('ERC20', () => {
  for (const [name, expected] of Object.entries({
    name: 'Token',
    symbol: 'TKN',
    decimals: 18n,
    totalSupply: SUPPLY,
    cap: CAP,
  })) {
    it(`has ${name}`, async () => {
      const { token } = await loadFixture(deployToken)
      expect(await token[name]()).to.equal(expected)
    })
  }

  for (const value of [0n, 1n, 500n, SUPPLY]) {
    it(`transfers ${value}`, async () => {
      const { token, owner, alice } = await loadFixture(deployToken)
      const sent = token.transfer(alice, value)
      await expect(sent).to.emit(token, 'Transfer').withArgs(owner, alice, value)
      await expect(sent).to.changeTokenBalances(token, [owner, alice], [-value, value])
    })

    it(`approves ${value}, and transfers it from the owner`, async () => {
      const { token, owner, alice, bob } = await loadFixture(deployToken)
      await expect(token.approve(alice, value)).to.emit(token, 'Approval').withArgs(owner, alice, value)
      expect(await token.allowance(owner, alice)).to.equal(value)
      await expect(token.connect(alice).transferFrom(owner, bob, value)).to.changeTokenBalance(
        token,
        bob,
        value,
      )
      expect(await token.allowance(owner, alice)).to.equal(0n)
    })

    it(`burns ${value}`, async () => {
      const { token, owner } = await loadFixture(deployToken)
      await expect(token.burn(value)).to.emit(token, 'Transfer').withArgs(owner, ZERO, value)
      expect(await token.totalSupply()).to.equal(SUPPLY - value)
    })
  }

  for (const value of [SUPPLY + 1n, 2n ** 128n, ethers.MaxUint256]) {
    it(`does not transfer ${value}`, async () => {
      const { token, owner, alice } = await loadFixture(deployToken)
      await expect(token.transfer(alice, value))
        .to.be.revertedWithCustomError(token, 'ERC20InsufficientBalance')
        .withArgs(owner, SUPPLY, value)
      await expect(token.transfer.staticCall(alice, value)).to.be.revertedWithCustomError(
        token,
        'ERC20InsufficientBalance',
      )
      await expect(token.transfer.estimateGas(alice, value)).to.be.revertedWithCustomError(
        token,
        'ERC20InsufficientBalance',
      )
    })

    it(`does not burn ${value}`, async () => {
      const { token, owner } = await loadFixture(deployToken)
      await expect(token.burn(value))
        .to.be.revertedWithCustomError(token, 'ERC20InsufficientBalance')
        .withArgs(owner, SUPPLY, value)
    })

    it(`does not transfer ${value} without an allowance of it`, async () => {
      const { token, owner, alice, bob } = await loadFixture(deployToken)
      await token.approve(alice, 1n)
      await expect(token.connect(alice).transferFrom(owner, bob, value))
        .to.be.revertedWithCustomError(token, 'ERC20InsufficientAllowance')
        .withArgs(alice, 1n, value)
    })
  }

  for (const [method, error] of Object.entries({
    transfer: 'ERC20InvalidReceiver',
    approve: 'ERC20InvalidSpender',
    mint: 'ERC20InvalidReceiver',
  })) {
    it(`refuses ${method} to the zero address`, async () => {
      const { token } = await loadFixture(deployToken)
      await expect(token[method](ZERO, 1n)).to.be.revertedWithCustomError(token, error).withArgs(ZERO)
    })
  }

  it('keeps an infinite allowance', async () => {
    const { token, owner, alice, bob } = await loadFixture(deployToken)
    await token.approve(alice, ethers.MaxUint256)
    await token.connect(alice).transferFrom(owner, bob, 10n)
    expect(await token.allowance(owner, alice)).to.equal(ethers.MaxUint256)
  })

  for (const excess of [1n, CAP]) {
    it(`does not mint ${excess} above its cap`, async () => {
      const { token, alice } = await loadFixture(deployToken)
      await token.mint(alice, CAP - SUPPLY)
      await expect(token.mint(alice, excess))
        .to.be.revertedWithCustomError(token, 'ERC20ExceededCap')
        .withArgs(CAP + excess, CAP)
    })
  }

  for (const [name, call] of Object.entries({
    transfer: (token, to) => token.transfer(to, 1n),
    mint: (token, to) => token.mint(to, 1n),
    burn: (token) => token.burn(1n),
    pause: (token) => token.pause(),
  })) {
    it(`refuses ${name} while it is paused, and not after`, async () => {
      const { token, owner, alice } = await loadFixture(deployToken)
      await expect(token.pause()).to.emit(token, 'Paused').withArgs(owner)
      await expect(call(token, alice)).to.be.revertedWithCustomError(token, 'EnforcedPause').withArgs()
      await expect(token.unpause()).to.emit(token, 'Unpaused').withArgs(owner)
      await expect(call(token, alice)).not.to.be.reverted
    })
  }
})

/** Values, and types of a permit. */
async function signPermit(
  token,
  owner,
  spender,
  { value = 10n, nonce = 0n, deadline = ethers.MaxUint256 } = {},
) {
  const { chainId } = await ethers.provider.getNetwork()
  const domain = { name: 'Token', version: '1', chainId, verifyingContract: await token.getAddress() }
  const fields = {
    owner: 'address',
    spender: 'address',
    value: 'uint256',
    nonce: 'uint256',
    deadline: 'uint256',
  }
  const types = { Permit: Object.entries(fields).map(([name, type]) => ({ name, type })) }
  const message = { owner: owner.address, spender: spender.address, value, nonce, deadline }
  const { v, r, s } = ethers.Signature.from(await owner.signTypedData(domain, types, message))
  return [owner, spender, value, deadline, v, r, s]
}

describe('ERC20Permit', () => {
  for (const value of [0n, 10n, ethers.MaxUint256]) {
    it(`approves ${value} by a signature`, async () => {
      const { token, alice, bob } = await loadFixture(deployToken)
      await expect(token.permit(...(await signPermit(token, alice, bob, { value }))))
        .to.emit(token, 'Approval')
        .withArgs(alice, bob, value)
      expect(await token.nonces(alice)).to.equal(1n)
      expect(await token.allowance(alice, bob)).to.equal(value)
    })
  }

  it('refuses a signature that was used', async () => {
    const { token, alice, bob } = await loadFixture(deployToken)
    const permit = await signPermit(token, alice, bob)
    await token.permit(...permit)
    await expect(token.permit(...permit))
      .to.be.revertedWithCustomError(token, 'ERC2612InvalidSigner')
      .withArgs(anyValue, alice)
  })

  it('refuses the signature of another account', async () => {
    const { token, alice, bob, carol } = await loadFixture(deployToken)
    const [, ...rest] = await signPermit(token, carol, bob)
    await expect(token.permit(alice, ...rest)).to.be.revertedWithCustomError(token, 'ERC2612InvalidSigner')
  })

  for (const seconds of [1, 60, 86_400]) {
    it(`refuses a signature ${seconds} s after its deadline`, async () => {
      const { token, alice, bob } = await loadFixture(deployToken)
      const deadline = await time.latest()
      const permit = await signPermit(token, alice, bob, { deadline })
      await time.increase(seconds)
      await expect(token.permit(...permit))
        .to.be.revertedWithCustomError(token, 'ERC2612ExpiredSignature')
        .withArgs(deadline)
    })
  }
})

describe('ERC20Votes', () => {
  for (const votes of [1n, 400n, SUPPLY]) {
    it(`moves ${votes} votes with tokens`, async () => {
      const { token, owner, alice } = await loadFixture(deployToken)
      await token.delegate(owner)
      await token.connect(alice).delegate(alice)
      const sent = token.transfer(alice, votes)
      await expect(sent)
        .to.emit(token, 'DelegateVotesChanged')
        .withArgs(owner, SUPPLY, SUPPLY - votes)
      await expect(sent).to.emit(token, 'DelegateVotesChanged').withArgs(alice, 0n, votes)
      expect(await token.getVotes(alice)).to.equal(votes)
    })
  }

  it('remembers votes by block', async () => {
    const { token, owner, alice } = await loadFixture(deployToken)
    await token.delegate(alice)
    const first = await time.latestBlock()
    await token.transfer(alice, 10n)
    await mine(3)
    await token.burn(100n)
    await mine()
    expect(await token.getPastVotes(alice, first)).to.equal(SUPPLY)
    expect(await token.getPastVotes(alice, first + 1)).to.equal(SUPPLY - 10n)
    expect(await token.getPastVotes(alice, first + 5)).to.equal(SUPPLY - 110n)
    expect(await token.getPastTotalSupply(first)).to.equal(SUPPLY)
    expect(await token.delegates(owner)).to.equal(alice.address)
  })

  for (const ahead of [1, 10, 100_000]) {
    it(`refuses votes ${ahead} blocks ahead`, async () => {
      const { token, owner } = await loadFixture(deployToken)
      const block = (await time.latestBlock()) + ahead
      await expect(token.getPastVotes(owner, block))
        .to.be.revertedWithCustomError(token, 'ERC5805FutureLookup')
        .withArgs(block, await token.clock())
    })
  }

  it('delegates again without votes', async () => {
    const { token, alice, bob } = await loadFixture(deployToken)
    await expect(token.connect(alice).delegate(bob))
      .to.emit(token, 'DelegateChanged')
      .withArgs(alice, ZERO, bob)
      .and.not.to.emit(token, 'DelegateVotesChanged')
  })
})

describe('Multicall', () => {
  it('does several things in one transaction', async () => {
    const { token, owner, alice, bob } = await loadFixture(deployToken)
    const encode = (...args) => token.interface.encodeFunctionData('transfer', args)
    await expect(
      token.multicall([encode(alice.address, 5n), encode(bob.address, 6n)]),
    ).to.changeTokenBalances(token, [owner, alice, bob], [-11n, 5n, 6n])
  })

  it('does nothing if one part fails, and passes its error on', async () => {
    const { token, owner, alice } = await loadFixture(deployToken)
    const encode = (...args) => token.interface.encodeFunctionData('transfer', args)
    await expect(token.multicall([encode(alice.address, 5n), encode(alice.address, SUPPLY)]))
      .to.be.revertedWithCustomError(token, 'ERC20InsufficientBalance')
      .withArgs(owner, SUPPLY - 5n, SUPPLY)
    expect(await token.balanceOf(alice)).to.equal(0n)
  })
})

async function deployVault() {
  const fixture = await deployToken()
  const vault = await ethers.deployContract('Shares', [fixture.token])
  await fixture.token.approve(vault, ethers.MaxUint256)
  return { ...fixture, vault }
}

describe('ERC4626', () => {
  for (const assets of [1n, 10n, SUPPLY]) {
    it(`deposits and redeems ${assets}`, async () => {
      const { vault, token, owner } = await loadFixture(deployVault)
      await expect(vault.deposit(assets, owner))
        .to.emit(vault, 'Deposit')
        .withArgs(owner, owner, assets, assets)
      expect(await vault.totalAssets()).to.equal(assets)
      await expect(vault.redeem(assets, owner, owner)).to.changeTokenBalance(token, owner, assets)
    })

    it(`gives less for ${assets} after a donation`, async () => {
      const { vault, token, owner } = await loadFixture(deployVault)
      await token.mint(vault, 1_000n)
      expect(await vault.previewDeposit(assets)).to.equal(assets / 1_001n)
      expect(await vault.convertToAssets(assets)).to.equal(assets * 1_001n)
      expect(await vault.maxWithdraw(owner)).to.equal(0n)
    })

    it(`does not withdraw ${assets} that are not there`, async () => {
      const { vault, owner } = await loadFixture(deployVault)
      await expect(vault.withdraw(assets, owner, owner))
        .to.be.revertedWithCustomError(vault, 'ERC4626ExceededMaxWithdraw')
        .withArgs(owner, assets, 0n)
    })
  }
})

async function deployCollectible() {
  const [owner, alice, bob] = await ethers.getSigners()
  const nft = await ethers.deployContract('Collectible')
  const holder = await ethers.deployContract('Holder')
  const refuser = await ethers.deployContract('Refuser')
  for (const id of [1n, 2n, 3n]) await nft.mint(owner, id)
  return { owner, alice, bob, nft, holder, refuser }
}

const TRANSFER = 'transferFrom'
const SAFE = 'safeTransferFrom(address,address,uint256)'

describe('ERC721', () => {
  for (const id of [1n, 2n, 3n]) {
    for (const method of [TRANSFER, SAFE]) {
      it(`moves token ${id} by ${method}`, async () => {
        const { nft, owner, alice } = await loadFixture(deployCollectible)
        await expect(nft[method](owner, alice, id))
          .to.emit(nft, 'Transfer')
          .withArgs(owner, alice, id)
        expect(await nft.ownerOf(id)).to.equal(alice.address)
        expect(await nft.tokenOfOwnerByIndex(alice, 0n)).to.equal(id)
        expect(await nft.balanceOf(owner)).to.equal(2n)
      })

      it(`does not move token ${id} of another by ${method}`, async () => {
        const { nft, owner, alice } = await loadFixture(deployCollectible)
        await expect(nft.connect(alice)[method](owner, alice, id))
          .to.be.revertedWithCustomError(nft, 'ERC721InsufficientApproval')
          .withArgs(alice, id)
      })
    }

    it(`moves token ${id} once it is approved`, async () => {
      const { nft, owner, alice, bob } = await loadFixture(deployCollectible)
      await expect(nft.approve(alice, id)).to.emit(nft, 'Approval').withArgs(owner, alice, id)
      await nft.connect(alice).transferFrom(owner, bob, id)
      expect(await nft.getApproved(id)).to.equal(ZERO)
    })

    it(`burns token ${id}`, async () => {
      const { nft, owner } = await loadFixture(deployCollectible)
      await expect(nft.burn(id)).to.emit(nft, 'Transfer').withArgs(owner, ZERO, id)
      await expect(nft.ownerOf(id)).to.be.revertedWithCustomError(nft, 'ERC721NonexistentToken').withArgs(id)
      expect(await nft.totalSupply()).to.equal(2n)
    })
  }

  it('moves every token of an owner who approves of an operator', async () => {
    const { nft, owner, alice, bob } = await loadFixture(deployCollectible)
    await expect(nft.setApprovalForAll(alice, true))
      .to.emit(nft, 'ApprovalForAll')
      .withArgs(owner, alice, true)
    for (const id of [1n, 2n, 3n]) await nft.connect(alice).transferFrom(owner, bob, id)
    expect(await nft.balanceOf(bob)).to.equal(3n)
  })

  it('is accepted by a holder', async () => {
    const { nft, owner, holder } = await loadFixture(deployCollectible)
    await nft[SAFE](owner, holder, 1n)
    expect(await nft.ownerOf(1n)).to.equal(await holder.getAddress())
  })

  it('is refused by another contract', async () => {
    const { nft, owner, refuser } = await loadFixture(deployCollectible)
    for (const send of [() => nft[SAFE](owner, refuser, 1n), () => nft.safeMint(refuser, 9n)]) {
      await expect(send()).to.be.revertedWithCustomError(nft, 'ERC721InvalidReceiver').withArgs(refuser)
    }
  })

  for (const [name, call, error] of [
    ['an id that exists', (nft, { owner }) => nft.mint(owner, 1n), 'ERC721InvalidSender'],
    ['the zero address', (nft) => nft.mint(ZERO, 9n), 'ERC721InvalidReceiver'],
    ['the balance of the zero address', (nft) => nft.balanceOf(ZERO), 'ERC721InvalidOwner'],
    [
      'an index out of bounds',
      (nft, { owner }) => nft.tokenOfOwnerByIndex(owner, 3n),
      'ERC721OutOfBoundsIndex',
    ],
    ['an unknown token', (nft) => nft.tokenURI(9n), 'ERC721NonexistentToken'],
    ['the wrong owner', (nft, { alice, bob }) => nft.transferFrom(alice, bob, 1n), 'ERC721IncorrectOwner'],
  ]) {
    it(`refuses ${name}`, async () => {
      const { nft, ...others } = await loadFixture(deployCollectible)
      await expect(call(nft, others)).to.be.revertedWithCustomError(nft, error)
    })
  }

  for (const [id, expected] of Object.entries({
    '0x01ffc9a7': true,
    '0x80ac58cd': true,
    '0x780e9d63': true,
    '0xffffffff': false,
  })) {
    it(`${expected ? 'supports' : 'does not support'} the interface ${id}`, async () => {
      const { nft } = await loadFixture(deployCollectible)
      expect(await nft.supportsInterface(id)).to.equal(expected)
    })
  }
})

async function deployItems() {
  const [owner, alice, bob] = await ethers.getSigners()
  const items = await ethers.deployContract('Items')
  const holder = await ethers.deployContract('Holder')
  const refuser = await ethers.deployContract('Refuser')
  await items.mintBatch(owner, [1n, 2n, 3n], [10n, 20n, 30n])
  return { owner, alice, bob, items, holder, refuser }
}

describe('ERC1155', () => {
  for (const [id, supply] of [
    [1n, 10n],
    [2n, 20n],
    [3n, 30n],
  ]) {
    it(`has ${supply} of item ${id}`, async () => {
      const { items, owner } = await loadFixture(deployItems)
      expect(await items.balanceOf(owner, id)).to.equal(supply)
      expect(await items['totalSupply(uint256)'](id)).to.equal(supply)
      expect(await items.uri(id)).to.equal('ipfs://items/{id}')
    })

    for (const value of [1n, supply]) {
      it(`moves ${value} of item ${id}`, async () => {
        const { items, owner, alice } = await loadFixture(deployItems)
        await expect(items.safeTransferFrom(owner, alice, id, value, '0x'))
          .to.emit(items, 'TransferSingle')
          .withArgs(owner, owner, alice, id, value)
        expect(await items.balanceOf(alice, id)).to.equal(value)
      })

      it(`burns ${value} of item ${id}`, async () => {
        const { items, owner } = await loadFixture(deployItems)
        await expect(items.burn(owner, id, value))
          .to.emit(items, 'TransferSingle')
          .withArgs(owner, owner, ZERO, id, value)
        expect(await items.exists(id)).to.equal(value < supply)
      })
    }

    it(`does not move more than there is of item ${id}`, async () => {
      const { items, owner, alice } = await loadFixture(deployItems)
      await expect(items.safeTransferFrom(owner, alice, id, supply + 1n, '0x'))
        .to.be.revertedWithCustomError(items, 'ERC1155InsufficientBalance')
        .withArgs(owner, supply, supply + 1n, id)
    })

    it(`does not move item ${id} of another`, async () => {
      const { items, owner, alice } = await loadFixture(deployItems)
      await expect(items.connect(alice).safeTransferFrom(owner, alice, id, 1n, '0x'))
        .to.be.revertedWithCustomError(items, 'ERC1155MissingApprovalForAll')
        .withArgs(alice, owner)
    })
  }

  it('moves several items at once', async () => {
    const { items, owner, alice } = await loadFixture(deployItems)
    await expect(items.safeBatchTransferFrom(owner, alice, [1n, 3n], [5n, 6n], '0x'))
      .to.emit(items, 'TransferBatch')
      .withArgs(owner, owner, alice, [1n, 3n], [5n, 6n])
    expect(await items.balanceOfBatch([alice, alice, owner], [1n, 3n, 3n])).to.deep.equal([5n, 6n, 24n])
  })

  for (const [ids, values] of [
    [[1n], []],
    [[], [1n]],
    [[1n, 2n], [1n]],
  ]) {
    it(`refuses ${ids.length} items with ${values.length} values`, async () => {
      const { items, owner, alice } = await loadFixture(deployItems)
      await expect(items.safeBatchTransferFrom(owner, alice, ids, values, '0x'))
        .to.be.revertedWithCustomError(items, 'ERC1155InvalidArrayLength')
        .withArgs(ids.length, values.length)
    })
  }

  it('is accepted by a holder, and refused by another contract', async () => {
    const { items, owner, holder, refuser } = await loadFixture(deployItems)
    await items.safeTransferFrom(owner, holder, 1n, 1n, '0x')
    await expect(items.safeTransferFrom(owner, refuser, 1n, 1n, '0x'))
      .to.be.revertedWithCustomError(items, 'ERC1155InvalidReceiver')
      .withArgs(refuser)
  })
})

describe('accounts', () => {
  for (const ether of ['1', '2.5', '1000']) {
    it(`have a balance of ${ether} ether that was set`, async () => {
      const [, , , account] = await ethers.getSigners()
      await setBalance(account.address, ethers.parseEther(ether))
      expect(await ethers.provider.getBalance(account)).to.equal(ethers.parseEther(ether))
    })
  }
})
