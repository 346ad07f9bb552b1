/** Access, governance, vesting, and proxies. */
const {
  impersonateAccount,
  loadFixture,
  mine,
  setBalance,
  stopImpersonatingAccount,
  time,
} = require('@nomicfoundation/hardhat-network-helpers')
const { expect } = require('chai')
const { ethers } = require('hardhat')

const ZERO = ethers.ZeroAddress
const ZERO_HASH = ethers.ZeroHash

async function deployOwned() {
  const [owner, alice, bob] = await ethers.getSigners()
  return { owner, alice, bob, owned: await ethers.deployContract('Owned', [owner]) }
}

describe('Ownable2Step', () => {
  for (const value of [0n, 1n, ethers.MaxUint256]) {
    it(`lets the owner set ${value}`, async () => {
      const { owned } = await loadFixture(deployOwned)
      await owned.set(value)
      expect(await owned.value()).to.equal(value)
    })

    it(`does not let another set ${value}`, async () => {
      const { owned, alice } = await loadFixture(deployOwned)
      await expect(owned.connect(alice).set(value))
        .to.be.revertedWithCustomError(owned, 'OwnableUnauthorizedAccount')
        .withArgs(alice)
    })
  }

  it('has a new owner once it accepts', async () => {
    const { owned, owner, alice } = await loadFixture(deployOwned)
    await expect(owned.transferOwnership(alice))
      .to.emit(owned, 'OwnershipTransferStarted')
      .withArgs(owner, alice)
    expect(await owned.owner()).to.equal(owner.address)
    await expect(owned.connect(alice).acceptOwnership())
      .to.emit(owned, 'OwnershipTransferred')
      .withArgs(owner, alice)
    expect(await owned.pendingOwner()).to.equal(ZERO)
  })

  it('is not accepted by another', async () => {
    const { owned, alice, bob } = await loadFixture(deployOwned)
    await owned.transferOwnership(alice)
    await expect(owned.connect(bob).acceptOwnership()).to.be.revertedWithCustomError(
      owned,
      'OwnableUnauthorizedAccount',
    )
  })

  it('has no owner after it is renounced', async () => {
    const { owned } = await loadFixture(deployOwned)
    await owned.renounceOwnership()
    expect(await owned.owner()).to.equal(ZERO)
    await expect(owned.set(1n)).to.be.revertedWithCustomError(owned, 'OwnableUnauthorizedAccount')
  })

  it('cannot begin with the zero address as owner', async () => {
    const { owned } = await loadFixture(deployOwned)
    await expect(ethers.deployContract('Owned', [ZERO]))
      .to.be.revertedWithCustomError(owned, 'OwnableInvalidOwner')
      .withArgs(ZERO)
  })
})

const WRITER = ethers.id('WRITER')

async function deployControlled() {
  const [admin, alice, bob] = await ethers.getSigners()
  return { admin, alice, bob, controlled: await ethers.deployContract('Controlled') }
}

describe('AccessControl', () => {
  it('grants, checks and revokes a role', async () => {
    const { controlled, admin, alice } = await loadFixture(deployControlled)
    await expect(controlled.grantRole(WRITER, alice))
      .to.emit(controlled, 'RoleGranted')
      .withArgs(WRITER, alice, admin)
    await controlled.connect(alice).set(5n)
    await expect(controlled.revokeRole(WRITER, alice))
      .to.emit(controlled, 'RoleRevoked')
      .withArgs(WRITER, alice, admin)
    expect(await controlled.hasRole(WRITER, alice)).to.equal(false)
  })

  for (const [name, call, role] of [
    ['setting', (controlled) => controlled.set(1n), WRITER],
    ['granting', (controlled, account) => controlled.grantRole(WRITER, account), ZERO_HASH],
    ['revoking', (controlled, account) => controlled.revokeRole(WRITER, account), ZERO_HASH],
    ['changing the admin', (controlled) => controlled.setRoleAdmin(WRITER, WRITER), ZERO_HASH],
  ]) {
    it(`refuses ${name} without the role for it`, async () => {
      const { controlled, alice } = await loadFixture(deployControlled)
      await expect(call(controlled.connect(alice), alice))
        .to.be.revertedWithCustomError(controlled, 'AccessControlUnauthorizedAccount')
        .withArgs(alice, role)
    })
  }

  it('lets accounts renounce their own roles only', async () => {
    const { controlled, alice } = await loadFixture(deployControlled)
    await controlled.grantRole(WRITER, alice)
    await expect(controlled.renounceRole(WRITER, alice)).to.be.revertedWithCustomError(
      controlled,
      'AccessControlBadConfirmation',
    )
    await controlled.connect(alice).renounceRole(WRITER, alice)
    expect(await controlled.hasRole(WRITER, alice)).to.equal(false)
  })

  it('changes the admin of a role', async () => {
    const { controlled } = await loadFixture(deployControlled)
    await expect(controlled.setRoleAdmin(WRITER, WRITER))
      .to.emit(controlled, 'RoleAdminChanged')
      .withArgs(WRITER, ZERO_HASH, WRITER)
    expect(await controlled.getRoleAdmin(WRITER)).to.equal(WRITER)
  })
})

const DELAY = 3_600n

async function deployTimelock() {
  const [admin, proposer, executor, other] = await ethers.getSigners()
  const timelock = await ethers.deployContract('Timelock', [
    DELAY,
    [proposer.address],
    [executor.address],
    admin,
  ])
  const owned = await ethers.deployContract('Owned', [timelock])
  const call = [owned, 0n, owned.interface.encodeFunctionData('set', [7n]), ZERO_HASH, ZERO_HASH]
  const id = await timelock.hashOperation(...call)
  return { admin, proposer, executor, other, timelock, owned, call, id }
}

describe('TimelockController', () => {
  for (const delay of [DELAY, DELAY + 1n, 86_400n]) {
    it(`executes a call after ${delay} s, and only once`, async () => {
      const { timelock, owned, proposer, executor, call, id } = await loadFixture(deployTimelock)
      await expect(timelock.connect(proposer).schedule(...call, delay))
        .to.emit(timelock, 'CallScheduled')
        .withArgs(id, 0n, owned, 0n, call[2], ZERO_HASH, delay)
      expect(await timelock.isOperationPending(id)).to.equal(true)
      await time.increaseTo(await timelock.getTimestamp(id))
      await expect(timelock.connect(executor).execute(...call)).to.emit(timelock, 'CallExecuted')
      expect(await owned.value()).to.equal(7n)
      expect(await timelock.isOperationDone(id)).to.equal(true)
      await expect(timelock.connect(executor).execute(...call)).to.be.revertedWithCustomError(
        timelock,
        'TimelockUnexpectedOperationState',
      )
    })

    it(`does not execute a call 10 s before its delay of ${delay} s`, async () => {
      const { timelock, proposer, executor, call, id } = await loadFixture(deployTimelock)
      await timelock.connect(proposer).schedule(...call, delay)
      await time.increaseTo((await timelock.getTimestamp(id)) - 10n)
      await expect(timelock.connect(executor).execute(...call))
        .to.be.revertedWithCustomError(timelock, 'TimelockUnexpectedOperationState')
        .withArgs(id, ethers.toBeHex(1n << 2n, 32))
    })
  }

  for (const delay of [0n, DELAY - 1n]) {
    it(`refuses a delay of ${delay} s`, async () => {
      const { timelock, proposer, call } = await loadFixture(deployTimelock)
      await expect(timelock.connect(proposer).schedule(...call, delay))
        .to.be.revertedWithCustomError(timelock, 'TimelockInsufficientDelay')
        .withArgs(delay, DELAY)
    })
  }

  it('cancels a call', async () => {
    const { timelock, proposer, executor, call, id } = await loadFixture(deployTimelock)
    await timelock.connect(proposer).schedule(...call, DELAY)
    await expect(timelock.connect(proposer).cancel(id)).to.emit(timelock, 'Cancelled').withArgs(id)
    await expect(timelock.connect(executor).execute(...call)).to.be.revertedWithCustomError(
      timelock,
      'TimelockUnexpectedOperationState',
    )
  })

  for (const [name, act] of [
    ['schedules', (timelock, { call }) => timelock.schedule(...call, DELAY)],
    ['executes', (timelock, { call }) => timelock.execute(...call)],
    ['cancels', (timelock, { id }) => timelock.cancel(id)],
  ]) {
    it(`refuses an account without a role that ${name}`, async () => {
      const { timelock, other, ...rest } = await loadFixture(deployTimelock)
      await expect(act(timelock.connect(other), rest)).to.be.revertedWithCustomError(
        timelock,
        'AccessControlUnauthorizedAccount',
      )
    })
  }

  it('changes its delay only itself', async () => {
    const { timelock, admin } = await loadFixture(deployTimelock)
    await expect(timelock.updateDelay(1n))
      .to.be.revertedWithCustomError(timelock, 'TimelockUnauthorizedCaller')
      .withArgs(admin)
    const address = await timelock.getAddress()
    await impersonateAccount(address)
    await setBalance(address, ethers.parseEther('1'))
    const self = await ethers.getSigner(address)
    await expect(timelock.connect(self).updateDelay(1n))
      .to.emit(timelock, 'MinDelayChange')
      .withArgs(DELAY, 1n)
    await stopImpersonatingAccount(address)
  })
})

const [DEFEATED, SUCCEEDED, EXECUTED] = [3n, 4n, 7n]

async function deployCouncil() {
  const [owner, alice, bob, carol] = await ethers.getSigners()
  const token = await ethers.deployContract('Token', [1_000_000n])
  const council = await ethers.deployContract('Council', [token])
  const owned = await ethers.deployContract('Owned', [council])
  for (const [voter, votes] of [
    [alice, 60n],
    [bob, 50n],
    [carol, 40n],
  ]) {
    await token.mint(voter, votes)
    await token.connect(voter).delegate(voter)
  }
  const actions = [[owned], [0n], [owned.interface.encodeFunctionData('set', [9n])]]
  const text = 'set the value'
  const id = await council.hashProposal(...actions, ethers.id(text))
  return { owner, alice, bob, carol, token, council, owned, actions, text, id }
}

async function propose() {
  const fixture = await deployCouncil()
  await fixture.council.propose(...fixture.actions, fixture.text)
  await mine(2)
  return fixture
}

describe('Governor', () => {
  for (const [name, support, state] of [
    ['enough votes for it', { alice: 1n, bob: 1n }, SUCCEEDED],
    ['a majority for it', { alice: 1n, bob: 1n, carol: 0n }, SUCCEEDED],
    ['a majority against it', { alice: 1n, bob: 0n, carol: 0n }, DEFEATED],
    ['fewer votes than the quorum', { alice: 1n }, DEFEATED],
    ['abstentions that make the quorum', { alice: 1n, bob: 2n }, SUCCEEDED],
    ['no votes', {}, DEFEATED],
  ]) {
    it(`decides a proposal with ${name}`, async () => {
      const { council, id, ...voters } = await loadFixture(propose)
      for (const [voter, value] of Object.entries(support)) {
        await expect(council.connect(voters[voter]).castVote(id, value)).to.emit(council, 'VoteCast')
      }
      await mine(11)
      expect(await council.state(id)).to.equal(state)
    })
  }

  it('executes a proposal that succeeded', async () => {
    const { council, owned, actions, text, id, alice, bob } = await loadFixture(propose)
    for (const voter of [alice, bob]) await council.connect(voter).castVote(id, 1n)
    await mine(11)
    await expect(council.execute(...actions, ethers.id(text)))
      .to.emit(council, 'ProposalExecuted')
      .withArgs(id)
    expect(await owned.value()).to.equal(9n)
    expect(await council.state(id)).to.equal(EXECUTED)
  })

  it('does not execute one that did not', async () => {
    const { council, actions, text, id } = await loadFixture(propose)
    await mine(11)
    await expect(council.execute(...actions, ethers.id(text)))
      .to.be.revertedWithCustomError(council, 'GovernorUnexpectedProposalState')
      .withArgs(id, DEFEATED, ethers.toBeHex(1n << SUCCEEDED, 32))
  })

  it('counts a vote once', async () => {
    const { council, id, alice } = await loadFixture(propose)
    await council.connect(alice).castVote(id, 1n)
    await expect(council.connect(alice).castVote(id, 1n))
      .to.be.revertedWithCustomError(council, 'GovernorAlreadyCastVote')
      .withArgs(alice)
  })

  for (const support of [3n, 4n, 254n]) {
    it(`refuses a vote of type ${support}`, async () => {
      const { council, id, alice } = await loadFixture(propose)
      await expect(council.connect(alice).castVote(id, support)).to.be.revertedWithCustomError(
        council,
        'GovernorInvalidVoteType',
      )
    })
  }

  it('refuses a proposal twice, and an empty one', async () => {
    const { council, actions, text } = await loadFixture(propose)
    await expect(council.propose(...actions, text)).to.be.revertedWithCustomError(
      council,
      'GovernorUnexpectedProposalState',
    )
    await expect(council.propose([], [], [], text))
      .to.be.revertedWithCustomError(council, 'GovernorInvalidProposalLength')
      .withArgs(0n, 0n, 0n)
  })

  it('counts votes as they were when the proposal began', async () => {
    const { council, token, id, alice, bob } = await loadFixture(propose)
    await token.connect(alice).transfer(bob, 60n)
    await expect(council.connect(alice).castVote(id, 1n))
      .to.emit(council, 'VoteCast')
      .withArgs(alice, id, 1n, 60n, '')
  })
})

const DURATION = 1_000n
const AMOUNT = ethers.parseEther('10')

async function deployVesting() {
  const [, beneficiary, other] = await ethers.getSigners()
  const start = BigInt(await time.latest()) + 100n
  const wallet = await ethers.deployContract('Vesting', [beneficiary, start, DURATION], { value: AMOUNT })
  return { beneficiary, other, start, wallet }
}

describe('VestingWallet', () => {
  for (let tenth = 0n; tenth <= 10n; tenth++) {
    it(`has ${tenth * 10n} percent vested after ${tenth * 100n} s`, async () => {
      const { wallet, start } = await loadFixture(deployVesting)
      const at = start + (tenth * DURATION) / 10n
      expect(await wallet['vestedAmount(uint64)'](at)).to.equal((AMOUNT * tenth) / 10n)
    })
  }

  for (const tenth of [0n, 1n, 5n, 10n]) {
    it(`releases what is vested after ${tenth * 100n} s`, async () => {
      const { wallet, beneficiary, start } = await loadFixture(deployVesting)
      const at = start + (tenth * DURATION) / 10n
      await time.setNextBlockTimestamp(at)
      const amount = (AMOUNT * tenth) / 10n
      await expect(wallet['release()']()).to.changeEtherBalances([wallet, beneficiary], [-amount, amount])
      expect(await wallet['released()']()).to.equal(amount)
    })
  }
})

async function deployProxies() {
  const [owner, admin, other] = await ethers.getSigners()
  const first = await ethers.deployContract('Counter')
  const second = await ethers.deployContract('CounterV2')
  const start = first.interface.encodeFunctionData('initialize', [5n])
  const plain = await ethers.deployContract(
    '@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol:ERC1967Proxy',
    [first, start],
  )
  const transparent = await ethers.deployContract('TransparentUpgradeableProxy', [first, admin, start])
  const beacon = await ethers.deployContract('UpgradeableBeacon', [first, owner])
  const beaconProxy = await ethers.deployContract('BeaconProxy', [beacon, start])
  return { owner, admin, other, first, second, plain, transparent, beacon, beaconProxy }
}

const ADMIN_SLOT = BigInt(ethers.id('eip1967.proxy.admin')) - 1n
const IMPLEMENTATION_SLOT = BigInt(ethers.id('eip1967.proxy.implementation')) - 1n

describe('proxies', () => {
  for (const kind of ['plain', 'transparent', 'beaconProxy']) {
    it(`${kind}: pass calls on`, async () => {
      const { first, [kind]: proxy } = await loadFixture(deployProxies)
      const counter = first.attach(await proxy.getAddress())
      expect(await counter.count()).to.equal(5n)
      await expect(counter.increase({ value: 1n }))
        .to.emit(counter, 'Increased')
        .withArgs(6n)
      expect(await first.count()).to.equal(0n)
      expect(await counter.version()).to.equal('V1')
    })

    it(`${kind}: pass errors on`, async () => {
      const { first, [kind]: proxy } = await loadFixture(deployProxies)
      await expect(first.attach(await proxy.getAddress()).initialize(1n))
        .to.be.revertedWithCustomError(first, 'InvalidInitialization')
        .withArgs()
    })
  }

  it('keep their implementation in its slot', async () => {
    const { first, plain } = await loadFixture(deployProxies)
    const slot = await ethers.provider.getStorage(plain, IMPLEMENTATION_SLOT)
    expect(BigInt(slot)).to.equal(BigInt(await first.getAddress()))
  })

  it('are upgraded by their admin contract', async () => {
    const { first, second, transparent, admin, other } = await loadFixture(deployProxies)
    const address = ethers.dataSlice(await ethers.provider.getStorage(transparent, ADMIN_SLOT), 12)
    const proxyAdmin = await ethers.getContractAt('ProxyAdmin', address)
    await expect(proxyAdmin.connect(other).upgradeAndCall(transparent, second, '0x'))
      .to.be.revertedWithCustomError(proxyAdmin, 'OwnableUnauthorizedAccount')
      .withArgs(other)
    await expect(proxyAdmin.connect(admin).upgradeAndCall(transparent, second, '0x'))
      .to.emit(transparent, 'Upgraded')
      .withArgs(second)
    const counter = first.attach(await transparent.getAddress())
    await counter.increase()
    expect([await counter.count(), await counter.version()]).to.deep.equal([15n, 'V2'])
  })

  it('are upgraded by their beacon', async () => {
    const { first, second, beacon, beaconProxy, other } = await loadFixture(deployProxies)
    await expect(beacon.connect(other).upgradeTo(second)).to.be.revertedWithCustomError(
      beacon,
      'OwnableUnauthorizedAccount',
    )
    await expect(beacon.upgradeTo(second)).to.emit(beacon, 'Upgraded').withArgs(second)
    expect(await first.attach(await beaconProxy.getAddress()).version()).to.equal('V2')
    await expect(beacon.upgradeTo(other))
      .to.be.revertedWithCustomError(beacon, 'BeaconInvalidImplementation')
      .withArgs(other)
  })

  it('need an implementation with code', async () => {
    const { plain, other } = await loadFixture(deployProxies)
    const factory = await ethers.getContractFactory(
      '@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol:ERC1967Proxy',
    )
    await expect(factory.deploy(other, '0x01'))
      .to.be.revertedWithCustomError(plain, 'ERC1967InvalidImplementation')
      .withArgs(other)
  })
})
